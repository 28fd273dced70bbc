//! Reliances: variables that a source-dependent clause reads and its try has written, and fields that it reads and the
//! calls in its try can have written.

use catchment_build::{Project, class_file};
use catchment_classfile::ClassFile;
use catchment_flow::{Receiver, Relied, Variable, fields_left_to_calls, reliance};
use catchment_pairs::pairs_of;
use catchment_verdicts::{
    CheckedPair, CheckedProject, FieldRead, Reliance, SourceIndependence, Verdicts, judge,
};
use std::collections::BTreeSet;

/// Adds its reliances to every source-dependent pair, as an explanation.
pub(crate) fn add_reliances(checked: &mut CheckedProject, project: &Project) {
    for position in 0..checked.pairs.len() {
        let pair = &checked.pairs[position];
        if is_dependent(&judge(pair, &checked.tests)) {
            let (relies_on, left_to_calls) = relies_on(pair, project);
            checked.pairs[position].relies_on = relies_on;
            checked.pairs[position].left_to_calls = left_to_calls;
        }
    }
}

fn is_dependent(verdicts: &Verdicts) -> bool {
    let selective = verdicts.selective.as_ref().map(|judgement| judgement.verdict);
    [Some(verdicts.source_independence.verdict), selective].contains(&Some(SourceIndependence::Dependent))
}

/// The reliances of a pair; none where the code cannot be read, since they explain and decide nothing.
fn relies_on(pair: &CheckedPair, project: &Project) -> (Vec<Reliance>, Vec<FieldRead>) {
    let Some((_, bytes)) = class_file(project, &pair.clause.class) else { return Default::default() };
    let Ok(class) = ClassFile::parse(&bytes) else { return Default::default() };
    let pairs = pairs_of(&class);
    let (mut relied, mut left_to_calls): (Vec<Relied>, Vec<FieldRead>) = Default::default();
    for (index, clause) in pairs.sites_of(&pair.clause.id) {
        let site = &pairs.tries[index];
        // What the try reads itself, when it is executed again, is not what the clause relies on.
        let found = reliance(&class, site, clause).unwrap_or_default().into_iter();
        relied.extend(found.filter(|relied| !(relied.after && site.holds(relied.read.pc))));
        let found = fields_left_to_calls(&class, site, clause).unwrap_or_default().into_iter();
        let found = found.map(|(field, read)| FieldRead { what: name_of(&field), line: read.line });
        left_to_calls.extend(found);
    }
    // Copies of an inlined clause read the same.
    let mut seen = BTreeSet::new();
    left_to_calls.retain(|field| seen.insert(field.what.clone()));
    (joined(relied.into_iter().map(described)), left_to_calls)
}

fn described(relied: Relied) -> Reliance {
    Reliance {
        what: name_of(&relied.variable),
        read_line: relied.read.line,
        is_read_after: relied.after,
        set_lines: relied.writes.iter().filter_map(|write| write.line).collect(),
        may_be_older: relied.before,
    }
}

fn name_of(place: &Variable) -> String {
    match place {
        Variable::Local { name: Some(name), .. } => format!("variable {name}"),
        Variable::Local { slot, .. } => format!("variable number {slot}"),
        Variable::Field { name, of: Receiver::This, .. } => format!("field {name}"),
        Variable::Field { owner, name, .. } => format!("field {owner}.{name}"),
    }
}

/// Joins the reads of one variable into one reliance, with the line of the first read.
fn joined(all: impl Iterator<Item = Reliance>) -> Vec<Reliance> {
    let mut joined: Vec<Reliance> = Vec::new();
    for each in all {
        match joined.iter_mut().find(|known| known.what == each.what) {
            Some(known) => {
                known.is_read_after &= each.is_read_after;
                known.may_be_older |= each.may_be_older;
                known.set_lines.extend(each.set_lines);
            }
            None => joined.push(each),
        }
    }
    for each in &mut joined {
        each.set_lines.sort_unstable();
        each.set_lines.dedup();
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use catchment_flow::Access;

    fn relied(name: Option<&str>, read: u32, writes: &[u32], after: bool) -> Relied {
        let access = |line: u32| Access { pc: line as usize, line: Some(line) };
        Relied {
            variable: Variable::Local { slot: 3, name: name.map(str::to_owned) },
            read: access(read),
            after,
            writes: writes.iter().map(|line| access(*line)).collect(),
            before: true,
        }
    }

    #[test]
    fn what_is_read_twice_is_told_once() {
        let all = [relied(Some("size"), 9, &[5, 4], false), relied(Some("size"), 12, &[5], true)];
        let told = joined(all.into_iter().map(described));
        let [told] = told.as_slice() else { panic!("{told:?}") };
        assert_eq!((told.what.as_str(), told.read_line), ("variable size", Some(9)));
        assert_eq!((told.set_lines.as_slice(), told.is_read_after), (&[4, 5][..], false));
    }

    #[test]
    fn places_are_named_as_in_the_source_if_that_is_known() {
        assert_eq!(described(relied(None, 1, &[], false)).what, "variable number 3");
        let field =
            |of| name_of(&Variable::Field { owner: "com.acme.Cache".into(), name: "size".into(), of });
        assert_eq!(field(Receiver::This), "field size");
        assert_eq!(field(Receiver::Static), "field com.acme.Cache.size");
    }
}
