//! Methods that servlet containers call: of servlets, filters, listeners and initialisers, `javax` and `jakarta` alike.
//!
//! As with tests only names tell, and the library need not be there, except where an interface of it lies between.

use crate::entry_points::above::{is_below, own_and_above};
use catchment_pointsto::World;
use catchment_pointsto::{ClassId, MethodId};

const SPACES: [&str; 2] = ["javax/servlet/", "jakarta/servlet/"];

/// Methods that are called on objects of these classes.
const CALLED: [(&[&str], &[&str]); 14] = [
    (
        &["Servlet", "GenericServlet", "http/HttpServlet"],
        &[
            "init",
            "service",
            "destroy",
            "doGet",
            "doPost",
            "doPut",
            "doDelete",
            "doHead",
            "doOptions",
            "doTrace",
            "doPatch",
            "getLastModified",
        ],
    ),
    (&["Filter", "GenericFilter", "http/HttpFilter"], &["init", "doFilter", "destroy"]),
    (&["ServletContainerInitializer"], &["onStartup"]),
    (&["ServletContextListener"], &["contextInitialized", "contextDestroyed"]),
    (&["ServletRequestListener"], &["requestInitialized", "requestDestroyed"]),
    (
        &[
            "ServletContextAttributeListener",
            "ServletRequestAttributeListener",
            "http/HttpSessionAttributeListener",
        ],
        &["attributeAdded", "attributeRemoved", "attributeReplaced"],
    ),
    (&["http/HttpSessionListener"], &["sessionCreated", "sessionDestroyed"]),
    (&["http/HttpSessionIdListener"], &["sessionIdChanged"]),
    (&["http/HttpSessionBindingListener"], &["valueBound", "valueUnbound"]),
    (&["http/HttpSessionActivationListener"], &["sessionDidActivate", "sessionWillPassivate"]),
    (&["AsyncListener"], &["onComplete", "onTimeout", "onError", "onStartAsync"]),
    (&["ReadListener"], &["onDataAvailable", "onAllDataRead", "onError"]),
    (&["WriteListener"], &["onWritePossible", "onError"]),
    (&["http/HttpUpgradeHandler"], &["init", "destroy"]),
];

/// The methods of a class that a container calls, also those that it has from above and does not override.
pub(crate) fn container_methods(world: &mut World<'_>, class: ClassId) -> Vec<MethodId> {
    if !world.class_of(class).is_instantiable() {
        return Vec::new();
    }
    let names = called_on(world, class);
    let mut methods = own_and_above(world, class);
    methods.retain(|method| {
        let selector = world.method(*method).selector;
        names.iter().any(|name| name.as_bytes() == world.name_of(*method))
            && world.dispatch(class, selector) == Some(*method)
    });
    methods
}

fn called_on(world: &mut World<'_>, class: ClassId) -> Vec<&'static str> {
    let mut is_one =
        |name: &str| SPACES.iter().any(|space| is_below(world, class, &format!("{space}{name}")));
    let called = CALLED.iter().filter(|(classes, _)| classes.iter().any(|name| is_one(name)));
    called.flat_map(|(_, methods)| methods.iter().copied()).collect()
}
