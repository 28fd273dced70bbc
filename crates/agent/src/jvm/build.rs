//! How the exception of an experiment is made.
//!
//! Decided once per experiment and class loader, by trying: (1) like one that was seen, (2) by a public constructor whose
//! product can be asked for its message and cause, with a cause wherever one is taken, (3) by allocating it and running
//! the constructor of `Throwable` only, which needs nothing of the class itself.

use super::java::{
    Class, Constructor, Global, GlobalClass, GlobalField, Java, NewValue, Object, Parameter, Throwable,
};
use crate::lock;
use crate::subclass;
use catchment_protocol::lab::{FieldValue, Injection, Sample};
use std::sync::{Arc, Mutex};

/// The message of exceptions that nobody has seen a real one of.
const MESSAGE: &str = "injected by catchment";
const EXCEPTION: &str = "java.lang.Exception";

/// How exceptions are made for the catching classes of each loader.
#[derive(Debug, Default)]
pub(crate) struct Recipes(Mutex<Vec<(Option<Global>, Arc<Recipe>)>>);

#[derive(Debug)]
pub(crate) struct Recipe {
    /// How, for people; or why not.
    pub(crate) made: Result<String, String>,
    way: Option<Way>,
    /// Names of the class and of everything above it.
    pub(crate) supertypes: Vec<String>,
}

#[derive(Debug)]
enum Way {
    Sample {
        class: GlobalClass,
        cause: Option<GlobalClass>,
        sample: Sample,
        fields: Vec<(GlobalField, FieldValue)>,
    },
    Construct {
        constructor: Constructor,
        parameters: Vec<Parameter>,
        cause: Option<GlobalClass>,
    },
    Allocate {
        class: GlobalClass,
    },
}

impl Recipes {
    /// No lock is held while deciding, which runs code of the application: two threads may decide at once, and the first
    /// answer counts.
    pub(crate) fn of_loader<'j>(
        &self,
        java: &Java<'j>,
        loader: Option<Object<'j>>,
        injection: &Injection,
    ) -> Arc<Recipe> {
        if let Some(known) = self.known(java, loader) {
            return known;
        }
        let recipe = Arc::new(Recipe::decide(java, loader, injection));
        let kept = loader.and_then(|loader| java.keep(loader));
        lock(&self.0).push((kept, recipe));
        self.known(java, loader).unwrap_or_else(|| Arc::new(Recipe::impossible("no memory left".to_owned())))
    }

    fn known<'j>(&self, java: &Java<'j>, loader: Option<Object<'j>>) -> Option<Arc<Recipe>> {
        let recipes = lock(&self.0);
        let same = recipes.iter().find(|(known, _)| match (known, loader) {
            (Some(known), Some(loader)) => java.is_global(known, loader),
            (None, None) => true,
            _ => false,
        });
        same.map(|(_, recipe)| Arc::clone(recipe))
    }

    /// Names of the thrown classes and of everything above them.
    pub(crate) fn supertypes(&self) -> Vec<String> {
        lock(&self.0).iter().flat_map(|(_, recipe)| recipe.supertypes.clone()).collect()
    }
}

impl Recipe {
    fn impossible(why: String) -> Self {
        Self { made: Err(why), way: None, supertypes: Vec::new() }
    }

    fn decide<'j>(java: &Java<'j>, loader: Option<Object<'j>>, injection: &Injection) -> Self {
        let name = &injection.exception;
        let named = match java.load(name, loader) {
            Ok(class) if java.is_throwable(class) => class,
            Ok(_) => return Self::impossible(format!("{name} is no exception")),
            Err(why) => return Self::impossible(format!("cannot load {name}: {why}")),
        };
        let Some((class, remark)) = concrete(java, named) else {
            return Self::impossible(format!("{name} is abstract and cannot be extended"));
        };
        let sample =
            injection.sample.as_ref().filter(|sample| remark.is_empty() && sample.exception == *name);
        let tried = sample
            .and_then(|sample| like_sample(java, loader, class, sample))
            .or_else(|| by_constructor(java, class))
            .map_or_else(|| by_allocation(java, class), Ok);
        match tried {
            Ok((way, made)) => {
                Self { made: Ok(made + &remark), way: Some(way), supertypes: supertypes(java, class) }
            }
            Err(why) => Self::impossible(format!("cannot make a {name}: {why}")),
        }
    }

    /// A new exception. `None` when there was no memory or no stack for it.
    pub(crate) fn make<'j>(&self, java: &Java<'j>) -> Option<Throwable<'j>> {
        self.way.as_ref().and_then(|way| way.make(java).ok())
    }
}

impl Way {
    fn make<'j>(&self, java: &Java<'j>) -> Result<Throwable<'j>, String> {
        match self {
            Self::Sample { class, cause, sample, fields } => {
                let cause = match (cause, &sample.cause) {
                    (Some(cause), Some((_, message))) => Some(allocated(java, cause, message.as_deref())?),
                    _ => None,
                };
                let made = java.allocate(class)?;
                java.initialise(made, sample.message.as_deref(), cause)?;
                for (field, value) in fields {
                    let value = match value {
                        FieldValue::Null => NewValue::Null,
                        FieldValue::Text(text) => NewValue::Text(text),
                        FieldValue::Bits(bits) => NewValue::Bits(*bits),
                    };
                    java.set_field(made, field, value).ok_or("a field is not as it was")?;
                }
                Ok(made)
            }
            Self::Construct { constructor, parameters, cause } => {
                let cause = cause.as_ref().map(|cause| allocated(java, cause, Some(MESSAGE))).transpose()?;
                java.construct(constructor, parameters, MESSAGE, cause)
            }
            Self::Allocate { class } => allocated(java, class, Some(MESSAGE)),
        }
    }
}

fn allocated<'j>(
    java: &Java<'j>,
    class: &GlobalClass,
    message: Option<&str>,
) -> Result<Throwable<'j>, String> {
    let made = java.allocate(class)?;
    java.initialise(made, message, None)?;
    Ok(made)
}

/// The class itself or, if it is abstract, one that can stand for it, and a remark about that.
fn concrete<'j>(java: &Java<'j>, class: Class<'j>) -> Option<(Class<'j>, String)> {
    if !java.is_abstract(class) {
        return Some((class, String::new()));
    }
    let permitted = java.permitted_subclasses(class);
    if !permitted.is_empty() {
        let (found, _) = permitted.into_iter().find_map(|class| concrete(java, class))?;
        return Some((found, format!(", of the permitted subclass {}", java.class_name(found))));
    }
    generated_subclass(java, class).map(|class| (class, ", of a generated subclass".to_owned()))
}

/// Lies in the loader and the package of the abstract class, so that it may extend it whatever its visibility.
fn generated_subclass<'j>(java: &Java<'j>, class: Class<'j>) -> Option<Class<'j>> {
    let loader = java.loader_of(class);
    let name = subclass::name_for(&java.class_name(class));
    if let Ok(made_before) = java.load(&name, loader) {
        return java.is_subclass(made_before, class).then_some(made_before);
    }
    java.define(&name, loader, &subclass::bytes(&name, &java.class_name(class), &[]))
}

fn like_sample<'j>(
    java: &Java<'j>,
    loader: Option<Object<'j>>,
    class: Class<'j>,
    sample: &Sample,
) -> Option<(Way, String)> {
    let known = java.own_fields(class);
    let mut fields = Vec::new();
    for (declaring, name, value) in &sample.fields {
        let field = known.iter().find(|(class, field)| class == declaring && field.name == *name);
        fields.push((java.keep_field(&field?.1)?, value.clone()));
    }
    let cause = match &sample.cause {
        Some((name, _)) => Some(java.keep_class(cause_class(java, loader, name)?)?),
        None => None,
    };
    let way = Way::Sample { class: java.keep_class(class)?, cause, sample: sample.clone(), fields };
    way.make(java).ok()?;
    Some((way, "as seen in the baseline".to_owned()))
}

/// The class of the cause that was seen, or else a plain exception.
fn cause_class<'j>(java: &Java<'j>, loader: Option<Object<'j>>, name: &str) -> Option<Class<'j>> {
    let seen = java.load(name, loader).ok();
    seen.filter(|class| java.is_throwable(*class) && !java.is_abstract(*class))
        .or_else(|| java.load(EXCEPTION, None).ok())
}

/// The order of preference: the more a constructor takes, the more like a real exception its product is.
const DESCRIPTORS: [(&str, &str, &[Parameter]); 4] = [
    (
        "(Ljava/lang/String;Ljava/lang/Throwable;)V",
        "constructor (String, Throwable)",
        &[Parameter::Message, Parameter::Cause],
    ),
    ("(Ljava/lang/Throwable;)V", "constructor (Throwable)", &[Parameter::Cause]),
    ("(Ljava/lang/String;)V", "constructor (String)", &[Parameter::Message]),
    ("()V", "constructor ()", &[]),
];

fn by_constructor<'j>(java: &Java<'j>, class: Class<'j>) -> Option<(Way, String)> {
    let mut constructors = java.constructors(class);
    constructors.retain(|constructor| constructor.is_public);
    for (descriptor, text, parameters) in DESCRIPTORS {
        let Some(index) = constructors.iter().position(|it| it.descriptor == descriptor) else { continue };
        let cause = match parameters.contains(&Parameter::Cause) {
            true => Some(java.keep_class(java.load(EXCEPTION, None).ok()?)?),
            false => None,
        };
        let constructor = constructors.swap_remove(index);
        let way = Way::Construct { constructor, parameters: parameters.to_vec(), cause };
        if let Ok(made) = way.make(java)
            && java.getters_work(made)
        {
            return Some((way, text.to_owned()));
        }
    }
    None
}

fn by_allocation<'j>(java: &Java<'j>, class: Class<'j>) -> Result<(Way, String), String> {
    let way = Way::Allocate { class: java.keep_class(class).ok_or("no memory left")? };
    way.make(java)?;
    Ok((way, "allocated, without its constructors".to_owned()))
}

fn supertypes<'j>(java: &Java<'j>, class: Class<'j>) -> Vec<String> {
    let mut names = Vec::new();
    let mut waiting = vec![class];
    while let Some(class) = waiting.pop() {
        names.push(java.class_name(class));
        waiting.extend(java.superclass(class));
        waiting.extend(java.interfaces(class));
    }
    names
}
