//! The catalogue as it is written: TOML to typed values, with errors that name the entry.

use crate::catalogue::{Catalogue, FaultKind, FaultKindEntry, Operation};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum CatalogueError {
    #[error("cannot read the fault catalogue: {0}")]
    Text(String),
    /// `entry` says which one in the words of the file.
    #[error("{entry}: {what}")]
    Entry { entry: String, what: String },
}

/// A `[[fault]]` table of `catchment.toml`: one operation of the project's own.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultTable {
    pub kind: String,
    pub class: String,
    pub method: String,
    pub descriptor: Option<String>,
    /// Empty: what its kind throws.
    #[serde(default)]
    pub throws: Vec<String>,
    pub since: Option<u32>,
    pub until: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CatalogueFile {
    kind: BTreeMap<String, KindTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KindTable {
    about: String,
    throws: Vec<String>,
    operations: Vec<OperationTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OperationTable {
    class: String,
    method: String,
    descriptor: Option<String>,
    #[serde(default)]
    throws: Vec<String>,
    since: Option<u32>,
    until: Option<u32>,
}

pub(crate) fn read_catalogue(text: &str) -> Result<Catalogue, CatalogueError> {
    let file: CatalogueFile =
        toml::from_str(text).map_err(|error| CatalogueError::Text(error.to_string()))?;
    let mut catalogue = Catalogue { kinds: Vec::new(), operations: Vec::new() };
    for (name, table) in file.kind {
        read_kind(&mut catalogue, &name, table)?;
    }
    Ok(catalogue)
}

fn read_kind(catalogue: &mut Catalogue, name: &str, table: KindTable) -> Result<(), CatalogueError> {
    let entry = format!("kind {name}");
    let kind = kind_named(&entry, name)?;
    check_types(&entry, &table.throws)?;
    catalogue.kinds.push(FaultKindEntry { name: kind, about: table.about, throws: table.throws });
    for operation in table.operations {
        let entry = format!("{entry}, {}.{}", operation.class, operation.method);
        let OperationTable { class, method, descriptor, throws, since, until } = operation;
        let kind = name.to_owned();
        let operation = FaultTable { kind, class, method, descriptor, throws, since, until };
        add_operation(catalogue, &entry, None, operation)?;
    }
    Ok(())
}

/// `number` counts the tables of the file from 1.
pub(crate) fn add_fault(
    catalogue: &mut Catalogue,
    number: usize,
    fault: FaultTable,
) -> Result<(), CatalogueError> {
    let entry = entry_of(number, &fault.class, &fault.method);
    let kind = kind_named(&entry, &fault.kind)?;
    if catalogue.kind(&kind).is_none() {
        if fault.throws.is_empty() {
            let what = format!("{kind} is no kind of the catalogue, so `throws` must say what it throws");
            return refuse(&entry, what);
        }
        let throws = fault.throws.clone();
        catalogue.kinds.push(FaultKindEntry { name: kind, about: String::new(), throws });
    }
    add_operation(catalogue, &entry, Some(number), fault)
}

/// The name of a table in messages.
pub(crate) fn entry_of(number: usize, class: &str, method: &str) -> String {
    format!("fault {number} ({class}.{method})")
}

/// The kind is there by now.
fn add_operation(
    catalogue: &mut Catalogue,
    entry: &str,
    table: Option<usize>,
    fault: FaultTable,
) -> Result<(), CatalogueError> {
    let kind = kind_named(entry, &fault.kind)?;
    let FaultTable { class, method, descriptor, mut throws, since, until, .. } = fault;
    if throws.is_empty() {
        throws = catalogue.kind(&kind).map(|kind| kind.throws.clone()).unwrap_or_default();
    }
    check_types(entry, &throws)?;
    let operation = Operation { kind, class, method, descriptor, throws, since, until, table };
    if let Some(what) = what_is_wrong(&operation) {
        return refuse(entry, what);
    }
    if let Some(other) = catalogue.operations.iter().find(|other| other.overlaps(&operation)) {
        return refuse(entry, format!("the method is there already, as {other} of {}", other.kind));
    }
    catalogue.operations.push(operation);
    Ok(())
}

fn what_is_wrong(operation: &Operation) -> Option<String> {
    let Operation { class, method, descriptor, since, until, .. } = operation;
    if !is_binary_name(class) {
        return Some(format!("`{class}` is no class name such as com.acme.Client$Call"));
    }
    if method.is_empty() || method.contains(['.', ';', '[', '/', '(', ' ']) {
        return Some(format!("`{method}` is no method name"));
    }
    if let Some(descriptor) = descriptor.as_deref().filter(|it| !is_descriptor(it)) {
        return Some(format!("`{descriptor}` is no descriptor such as (Ljava/lang/String;I)V"));
    }
    match (since, until) {
        (Some(since), Some(until)) if until < since => {
            Some(format!("it ends with Java {until}, before it begins with Java {since}"))
        }
        _ => None,
    }
}

fn refuse(entry: &str, what: String) -> Result<(), CatalogueError> {
    Err(CatalogueError::Entry { entry: entry.to_owned(), what })
}

fn kind_named(entry: &str, name: &str) -> Result<FaultKind, CatalogueError> {
    FaultKind::new(name).ok_or_else(|| CatalogueError::Entry {
        entry: entry.to_owned(),
        what: format!("`{name}` is no name of a kind such as DSK_READ"),
    })
}

fn check_types(entry: &str, types: &[String]) -> Result<(), CatalogueError> {
    if types.is_empty() {
        return refuse(entry, "it throws nothing".to_owned());
    }
    match types.iter().find(|name| !is_binary_name(name)) {
        Some(name) => refuse(entry, format!("`{name}` is no class name such as java.io.IOException")),
        None => Ok(()),
    }
}

fn is_binary_name(name: &str) -> bool {
    !name.split('.').any(str::is_empty) && !name.contains(['/', ';', '[', '(', ' '])
}

fn is_descriptor(text: &str) -> bool {
    let parts = text.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    parts.is_some_and(|(_, result)| !result.is_empty()) && !text.contains(['.', ' '])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalogue() -> Catalogue {
        Catalogue::of_jdk().unwrap()
    }

    /// A table, with its keys divided by `;`.
    fn fault(keys: &str) -> FaultTable {
        toml::from_str(&keys.replace("; ", "\n")).unwrap()
    }

    fn refusal(keys: &str) -> String {
        catalogue().add(vec![fault(keys)]).unwrap_err().to_string()
    }

    #[test]
    fn an_operation_throws_what_its_kind_throws_unless_it_says_otherwise() {
        let catalogue = catalogue();
        let thrown = |method: &str| {
            let mut of_class =
                catalogue.operations().iter().filter(|it| it.class == "java.io.FileInputStream");
            of_class.find(|it| it.method == method).unwrap().throws.clone()
        };
        assert_eq!(thrown("read"), ["java.io.IOException"]);
        assert_eq!(thrown("open"), ["java.io.FileNotFoundException"]);
    }

    #[test]
    fn a_project_adds_operations_to_known_kinds_and_kinds_of_its_own() {
        let mut catalogue = catalogue();
        let known = catalogue.kinds().len();
        let faults = vec![
            fault("kind = 'NET_READ'; class = 'com.acme.Client'; method = 'receive'"),
            fault("kind = 'QUEUE'; class = 'com.acme.Queue'; method = 'take'; throws = ['com.acme.Lost']"),
            fault("kind = 'QUEUE'; class = 'com.acme.Queue'; method = 'put'"),
        ];
        catalogue.add(faults).unwrap();
        let added: Vec<_> = catalogue.operations().iter().rev().take(3).collect();
        assert_eq!(added[2].throws, ["java.io.IOException"]);
        assert_eq!(added[0].throws, ["com.acme.Lost"]);
        assert_eq!(catalogue.kinds().len(), known + 1);
    }

    #[test]
    fn a_wrong_entry_is_named_with_what_is_wrong() {
        let wrong = |keys: &str, expected: &str| assert_eq!(refusal(keys), expected);
        wrong(
            "kind = 'QUEUE'; class = 'a.B'; method = 'c'",
            "fault 1 (a.B.c): QUEUE is no kind of the catalogue, so `throws` must say what it throws",
        );
        wrong(
            "kind = 'queue'; class = 'a.B'; method = 'c'",
            "fault 1 (a.B.c): `queue` is no name of a kind such as DSK_READ",
        );
        wrong(
            "kind = 'NET_READ'; class = 'a/B'; method = 'c'",
            "fault 1 (a/B.c): `a/B` is no class name such as com.acme.Client$Call",
        );
        wrong(
            "kind = 'NET_READ'; class = 'a.B'; method = 'c'; descriptor = '(int)'",
            "fault 1 (a.B.c): `(int)` is no descriptor such as (Ljava/lang/String;I)V",
        );
        wrong(
            "kind = 'NET_READ'; class = 'a.B'; method = 'c'; since = 17; until = 11",
            "fault 1 (a.B.c): it ends with Java 11, before it begins with Java 17",
        );
    }

    #[test]
    fn one_method_is_one_operation() {
        let overload =
            "kind = 'NET_READ'; class = 'java.io.FileInputStream'; method = 'read'; descriptor = '()I'";
        let expected = "the method is there already, as java.io.FileInputStream.read of DSK_READ";
        assert!(refusal(overload).ends_with(expected), "{}", refusal(overload));
        let later = "kind = 'NET_READ'; class = 'java.net.SocketInputStream'; method = 'read'; since = 18";
        assert_eq!(catalogue().add(vec![fault(later)]), Ok(()));
    }

    #[test]
    fn unknown_keys_are_refused() {
        let misspelt = "kind = 'A'\nclass = 'B'\nmethod = 'c'\nthrow = []";
        assert!(toml::from_str::<FaultTable>(misspelt).is_err());
        assert!(matches!(read_catalogue("[kind.A]\nabout = 3"), Err(CatalogueError::Text(_))));
    }
}
