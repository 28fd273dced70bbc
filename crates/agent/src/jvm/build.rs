//! How the exception of an experiment is made.
//!
//! Decided once for each type and class loader, by trying: (1) like one that was seen, or with the message and cause
//! of one of a narrower type, (2) by a public constructor whose product can be asked for its message and cause, with
//! a cause wherever one is taken, (3) by allocating it and running the constructor of `Throwable` only, which needs
//! nothing of the class itself.

use super::java::{
    Class, Constructor, Java, KnownClass, KnownField, NewValue, Object, Parameter, Throwable, Weak,
};
use crate::lock;
use crate::subclass;
use catchment_protocol::experiment::{FieldValue, Sample};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex};

/// The message of exceptions that nobody has seen a real one of.
const MESSAGE: &str = "injected by catchment";
const EXCEPTION: &str = "java.lang.Exception";
const THROWABLE: &str = "java.lang.Throwable";
const STRING: &str = "java.lang.String";

/// How exceptions are made, by the name of the type. Keeps nothing of the application alive.
#[derive(Debug, Default)]
pub(crate) struct Recipes(Mutex<FxHashMap<String, Vec<Known>>>);

#[derive(Debug)]
struct Known {
    /// Of the class that catches; `None` for the boot loader.
    loader: Option<Weak>,
    sample: Option<Sample>,
    is_copy: bool,
    /// Types that clauses in front of the one that is meant catch.
    earlier: Arc<[String]>,
    /// A recipe that failed in one experiment may work in the next.
    only_for: Option<i64>,
    recipe: Arc<Recipe>,
}

#[derive(Debug)]
pub(crate) struct Recipe {
    /// How, for people; or why not.
    pub(crate) made: Result<String, String>,
    way: Option<Way>,
    /// Names of its class, of that of its cause, and of everything above them.
    pub(crate) supertypes: Vec<String>,
    /// Names of the fields below `Throwable` of its class and of that of its cause.
    pub(crate) fields: Vec<String>,
}

#[derive(Debug)]
enum Way {
    Sample {
        class: KnownClass,
        cause: Option<KnownClass>,
        suppressed: Vec<KnownClass>,
        sample: Sample,
        fields: Vec<(KnownField, FieldContent)>,
    },
    Construct {
        constructor: Constructor,
        parameters: Vec<Parameter>,
        cause: Option<KnownClass>,
    },
    Allocate {
        class: KnownClass,
    },
}

/// The value of a field of an exception that looks like a sample.
#[derive(Debug)]
enum FieldContent {
    Null,
    Text(String),
    Bits(u64),
    Exception(KnownClass, Option<String>),
}

/// An exception that an experiment wants made.
pub(super) struct Wanted<'a> {
    /// Binary name of its type.
    pub(super) exception: &'a str,
    pub(super) sample: Option<&'a Sample>,
    /// Only a copy of the sample will do.
    pub(super) is_copy: bool,
    /// Number of the experiment.
    pub(super) experiment: i64,
    /// Types caught by the clauses in front of the one that is to catch it.
    pub(super) earlier: Arc<[String]>,
}

impl Recipes {
    /// No lock is held while deciding, which runs code of the application: two threads may decide at once, and the
    /// first answer that works counts.
    pub(super) fn find<'j>(
        &self,
        java: &Java<'j>,
        loader: Option<Object<'j>>,
        wanted: &Wanted<'_>,
    ) -> Arc<Recipe> {
        if let Some(known) = self.known(java, loader, wanted) {
            return known;
        }
        let recipe = Arc::new(Recipe::decide(java, loader, wanted));
        let mut recipes = lock(&self.0);
        let known = recipes.entry(wanted.exception.to_owned()).or_default();
        known.retain(|each| {
            let is_gone = each.loader.as_ref().is_some_and(|loader| java.is_gone(loader));
            !is_gone && each.only_for.is_none_or(|only| only == wanted.experiment)
        });
        known.push(Known {
            loader: loader.and_then(|loader| java.weak(loader)),
            sample: wanted.sample.cloned(),
            is_copy: wanted.is_copy,
            earlier: Arc::clone(&wanted.earlier),
            only_for: recipe.made.is_err().then_some(wanted.experiment),
            recipe: Arc::clone(&recipe),
        });
        recipe
    }

    fn known<'j>(
        &self,
        java: &Java<'j>,
        loader: Option<Object<'j>>,
        wanted: &Wanted<'_>,
    ) -> Option<Arc<Recipe>> {
        let recipes = lock(&self.0);
        let of_loader = |known: &&Known| match (&known.loader, loader) {
            (Some(known), Some(loader)) => java.is_known(known, loader),
            (None, None) => true,
            _ => false,
        };
        let fitting = recipes.get(wanted.exception)?.iter().filter(|known| {
            known.sample.as_ref() == wanted.sample
                && known.is_copy == wanted.is_copy
                && known.earlier == wanted.earlier
                && known.only_for.is_none_or(|only| only == wanted.experiment)
                && of_loader(known)
        });
        let found = fitting.min_by_key(|known| known.recipe.made.is_err());
        found.map(|known| Arc::clone(&known.recipe))
    }
}

impl Recipe {
    fn impossible(why: String) -> Self {
        Self { made: Err(why), way: None, supertypes: Vec::new(), fields: Vec::new() }
    }

    fn decide<'j>(java: &Java<'j>, loader: Option<Object<'j>>, wanted: &Wanted<'_>) -> Self {
        let name = wanted.exception;
        let named = match java.load(name, loader) {
            Ok(class) if java.is_throwable(class) => class,
            Ok(_) => return Self::impossible(format!("{name} is no exception")),
            Err(why) => return Self::impossible(format!("cannot load {name}: {why}")),
        };
        let earlier: Vec<_> = wanted.earlier.iter().filter_map(|name| java.load(name, loader).ok()).collect();
        let Some((class, remark)) = concrete(java, named, &earlier) else {
            return Self::impossible(format!("{name} is abstract and cannot be extended"));
        };
        // Its members are known only once it is initialised.
        if let Err(why) = java.load(&java.class_name(class), java.loader_of(class)) {
            return Self::impossible(format!("cannot load {}: {why}", java.class_name(class)));
        }
        let sample = wanted.sample.filter(|_| remark.is_empty());
        let like_seen = sample.and_then(|sample| match sample.exception == *name {
            true => like_sample(java, loader, class, sample),
            false => like_narrower(java, loader, class, sample),
        });
        let tried = match like_seen {
            Some(like_seen) => Ok(like_seen),
            None if wanted.is_copy => Err("it cannot be copied".to_owned()),
            None => by_constructor(java, class).map_or_else(|| by_allocation(java, class), Ok),
        };
        match tried {
            Ok((way, made)) => {
                let cause = way.cause().and_then(|cause| java.recall(cause).ok());
                let classes: Vec<_> = [Some(class), cause].into_iter().flatten().collect();
                let own_fields = classes.iter().flat_map(|class| java.own_fields(*class));
                let fields = own_fields.map(|(_, field)| field.name).collect();
                Self {
                    made: Ok(made + &remark),
                    way: Some(way),
                    supertypes: supertypes(java, classes),
                    fields,
                }
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
    fn cause(&self) -> Option<&KnownClass> {
        match self {
            Self::Sample { cause, .. } | Self::Construct { cause, .. } => cause.as_ref(),
            Self::Allocate { .. } => None,
        }
    }

    fn make<'j>(&self, java: &Java<'j>) -> Result<Throwable<'j>, String> {
        match self {
            Self::Sample { class, cause, suppressed, sample, fields } => {
                let cause = match (cause, &sample.cause) {
                    (Some(cause), Some((_, message))) => Some(allocated(java, cause, message.as_deref())?),
                    _ => None,
                };
                let made = java.allocate(java.recall(class)?)?;
                java.initialise(made, sample.message.as_deref(), cause)?;
                for (class, (_, message)) in suppressed.iter().zip(&sample.suppressed) {
                    java.add_suppressed(made, allocated(java, class, message.as_deref())?)?;
                }
                for (field, content) in fields {
                    let value = content.value(java)?;
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

impl FieldContent {
    fn of<'j>(java: &Java<'j>, loader: Option<Object<'j>>, value: &FieldValue) -> Option<Self> {
        Some(match value {
            FieldValue::Exception(name, message) => {
                let class = java.remember(cause_class(java, loader, name)?)?;
                Self::Exception(class, message.clone())
            }
            FieldValue::Null => Self::Null,
            FieldValue::Text(text) => Self::Text(text.clone()),
            FieldValue::Bits(bits) => Self::Bits(*bits),
        })
    }

    fn value<'a>(&'a self, java: &Java<'a>) -> Result<NewValue<'a>, String> {
        Ok(match self {
            Self::Null => NewValue::Null,
            Self::Text(text) => NewValue::Text(text),
            Self::Bits(bits) => NewValue::Bits(*bits),
            Self::Exception(class, message) => {
                NewValue::Exception(allocated(java, class, message.as_deref())?)
            }
        })
    }
}

fn allocated<'j>(
    java: &Java<'j>,
    class: &KnownClass,
    message: Option<&str>,
) -> Result<Throwable<'j>, String> {
    let made = java.allocate(java.recall(class)?)?;
    java.initialise(made, message, None)?;
    Ok(made)
}

/// The class itself or, if it is abstract, one that can stand for it and is none of `earlier`, and a remark about that.
fn concrete<'j>(java: &Java<'j>, class: Class<'j>, earlier: &[Class<'j>]) -> Option<(Class<'j>, String)> {
    if !java.is_abstract(class) {
        return Some((class, String::new()));
    }
    let permitted = java.permitted_subclasses(class);
    if !permitted.is_empty() {
        let is_free = |class: &Class<'j>| !earlier.iter().any(|each| java.is_subclass(*class, *each));
        let mut free = permitted.into_iter().filter(is_free);
        let (found, _) = free.find_map(|class| concrete(java, class, earlier))?;
        return Some((found, format!(", of the permitted subclass {}", java.class_name(found))));
    }
    generated_subclass(java, class).map(|class| (class, ", of a generated subclass".to_owned()))
}

/// Lies in the loader and the package of the abstract class, so that it may extend it whatever its visibility.
fn generated_subclass<'j>(java: &Java<'j>, class: Class<'j>) -> Option<Class<'j>> {
    let loader = java.loader_of(class);
    let superclass = java.class_name(class);
    let name = subclass::name_for(&superclass);
    if let Ok(made_before) = java.load(&name, loader) {
        return java.is_subclass(made_before, class).then_some(made_before);
    }
    let constructors = java.constructors(class);
    let inherited: Vec<&str> = constructors
        .iter()
        .filter(|constructor| !constructor.is_private)
        .map(|constructor| constructor.descriptor.as_str())
        .filter(|descriptor| shape_of(descriptor).is_some())
        .collect();
    let methods = java.unimplemented_methods(class);
    let bytes = subclass::bytes(&name, &superclass, &inherited, &methods);
    // Refused when another thread has just done so.
    java.define(&name, loader, &bytes).or_else(|| java.load(&name, loader).ok())
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
        fields.push((java.remember_field(&field?.1)?, FieldContent::of(java, loader, value)?));
    }
    let cause = match &sample.cause {
        Some((name, _)) => Some(java.remember(cause_class(java, loader, name)?)?),
        None => None,
    };
    let suppressed = sample.suppressed.iter();
    let suppressed: Option<Vec<_>> =
        suppressed.map(|(name, _)| java.remember(cause_class(java, loader, name)?)).collect();
    let (class, suppressed) = (java.remember(class)?, suppressed?);
    let way = Way::Sample { class, cause, suppressed, sample: sample.clone(), fields };
    let made = way.make(java).ok()?;
    java.getters_work(made).then_some((way, "as seen in the baseline".to_owned()))
}

/// With the message and cause of an exception that the clause caught of a narrower type. Where the wider type has
/// fields of its own nobody knows what they would hold.
fn like_narrower<'j>(
    java: &Java<'j>,
    loader: Option<Object<'j>>,
    class: Class<'j>,
    sample: &Sample,
) -> Option<(Way, String)> {
    if !java.own_fields(class).is_empty() {
        return None;
    }
    // Some types keep their cause in a field of their own, which the wider one has not.
    let own_cause = sample.fields.iter().find_map(|(_, _, value)| match value {
        FieldValue::Exception(class, message) => Some((class.clone(), message.clone())),
        _ => None,
    });
    let cause = sample.cause.clone().or(own_cause);
    let content = Sample { fields: Vec::new(), cause, ..sample.clone() };
    let (way, _) = like_sample(java, loader, class, &content)?;
    Some((way, format!("with the message and cause of a {} seen in the baseline", sample.exception)))
}

/// The class of the cause that was seen, or else a plain exception.
fn cause_class<'j>(java: &Java<'j>, loader: Option<Object<'j>>, name: &str) -> Option<Class<'j>> {
    let seen = java.load(name, loader).ok();
    seen.filter(|class| java.is_throwable(*class) && !java.is_abstract(*class))
        .or_else(|| java.load(EXCEPTION, None).ok())
}

/// Tried in order of preference: the more a constructor takes, the more like a real exception its product is.
fn by_constructor<'j>(java: &Java<'j>, class: Class<'j>) -> Option<(Way, String)> {
    let constructors = java.constructors(class).into_iter().filter(|constructor| constructor.is_public);
    let mut shaped: Vec<(Shape, Constructor)> = constructors
        .filter_map(|constructor| Some((shape_of(&constructor.descriptor)?, constructor)))
        .collect();
    shaped.sort_by_key(|(shape, _)| shape.rank());
    shaped.into_iter().find_map(|(shape, constructor)| tried_constructor(java, class, shape, constructor))
}

fn tried_constructor<'j>(
    java: &Java<'j>,
    class: Class<'j>,
    shape: Shape,
    constructor: Constructor,
) -> Option<(Way, String)> {
    let cause = match &shape.cause {
        Some(name) => {
            let name = if name == THROWABLE { EXCEPTION } else { name };
            let cause = java.load(name, java.loader_of(class)).ok()?;
            let is_fit = java.is_throwable(cause) && !java.is_abstract(cause);
            Some(is_fit.then(|| java.remember(cause)).flatten()?)
        }
        None => None,
    };
    let text = format!("constructor ({})", shape.simple_names().join(", "));
    let way = Way::Construct { constructor, parameters: shape.parameters, cause };
    let made = way.make(java).ok()?;
    java.getters_work(made).then_some((way, text))
}

/// Parameters of a constructor: at most a message and a cause.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Shape {
    parameters: Vec<Parameter>,
    /// The type it takes its cause as.
    cause: Option<String>,
}

impl Shape {
    /// (String, Throwable), (String, narrower), (Throwable), (narrower), (String), ().
    fn rank(&self) -> (bool, bool, bool) {
        let takes_message = self.parameters.contains(&Parameter::Message);
        let is_narrow = self.cause.as_ref().is_some_and(|cause| cause != THROWABLE);
        (self.cause.is_none(), !takes_message, is_narrow)
    }

    fn simple_names(&self) -> Vec<&str> {
        let name = |parameter: &Parameter| match (parameter, &self.cause) {
            (Parameter::Cause, Some(cause)) => cause.rsplit(['.', '$']).next().unwrap_or(cause),
            _ => "String",
        };
        self.parameters.iter().map(name).collect()
    }
}

/// `None` for constructors that take anything else. Whether a class is a throwable is not yet known here.
fn shape_of(descriptor: &str) -> Option<Shape> {
    let parameters = descriptor.strip_prefix('(')?.strip_suffix(")V")?;
    let names: Option<Vec<String>> = parameters
        .split_terminator(';')
        .map(|each| each.strip_prefix('L').map(|name| name.replace('/', ".")))
        .collect();
    match names?.as_slice() {
        [] => Some(Shape { parameters: Vec::new(), cause: None }),
        [text] if text == STRING => Some(Shape { parameters: vec![Parameter::Message], cause: None }),
        [cause] => Some(Shape { parameters: vec![Parameter::Cause], cause: Some(cause.clone()) }),
        [text, cause] if text == STRING && cause != STRING => {
            let parameters = vec![Parameter::Message, Parameter::Cause];
            Some(Shape { parameters, cause: Some(cause.clone()) })
        }
        _ => None,
    }
}

fn by_allocation<'j>(java: &Java<'j>, class: Class<'j>) -> Result<(Way, String), String> {
    let way = Way::Allocate { class: java.remember(class).ok_or("no memory left")? };
    way.make(java)?;
    Ok((way, "allocated, without its constructors".to_owned()))
}

fn supertypes<'j>(java: &Java<'j>, classes: Vec<Class<'j>>) -> Vec<String> {
    let mut names = Vec::new();
    let mut waiting = classes;
    while let Some(class) = waiting.pop() {
        names.push(java.class_name(class));
        waiting.extend(java.superclass(class));
        waiting.extend(java.interfaces(class));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constructors_are_preferred_by_how_much_they_take() {
        let descriptors = [
            "()V",
            "(Ljava/lang/String;)V",
            "(Ljava/io/IOException;)V",
            "(Ljava/lang/Throwable;)V",
            "(Ljava/lang/String;Ljava/io/IOException;)V",
            "(Ljava/lang/String;Ljava/lang/Throwable;)V",
            "(I)V",
            "(Ljava/lang/String;I)V",
            "(Ljava/lang/String;Ljava/lang/String;)V",
            "([Ljava/lang/String;)V",
            "(Ljava/lang/String;Ljava/lang/Throwable;ZZ)V",
        ];
        let mut shapes: Vec<Shape> = descriptors.iter().filter_map(|each| shape_of(each)).collect();
        shapes.sort_by_key(Shape::rank);
        let texts: Vec<String> = shapes.iter().map(|shape| shape.simple_names().join(", ")).collect();
        let expected = ["String, Throwable", "String, IOException", "Throwable", "IOException", "String", ""];
        assert_eq!(texts, expected);
    }
}
