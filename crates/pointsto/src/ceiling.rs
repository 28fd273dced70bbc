//! A ceiling on memory: context sensitivity is lowered for the packages that use the most, until the rest fits.
//!
//! Methods of a coarse package have one instance each, and all objects of one class that its code makes are one. Both
//! only merge, so no link is lost. The analysis then starts again from nothing: otherwise its result would depend on
//! the order in which methods were reached before.

use crate::callgraph::{Code, Reached};
use crate::ids::{ClassId, MethodId};
use crate::objects::Origin;
use crate::options::{CallGraphKind, Options};
use crate::solver::Solver;
use crate::world::{ClassSource, Layer, World};
use crate::{ReflectiveTarget, Sensitivity, analyse_with_targets};
use rustc_hash::{FxHashMap, FxHashSet};

/// Number of restarts before the analysis follows calls by classes alone.
const ROUNDS: usize = 6;

/// The limit on the memory that is held.
#[derive(Debug, Clone, Copy)]
pub struct Ceiling {
    pub bytes: usize,
    /// Bytes that are held now.
    pub held: fn() -> usize,
}

impl Ceiling {
    pub fn is_exceeded(&self) -> bool {
        (self.held)() > self.bytes
    }
}

/// The precision that a ceiling has cost.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Coarsened {
    /// Names with dots, sorted.
    pub packages: Vec<String>,
    /// Lowering all packages was not enough, and calls were followed by classes alone.
    pub by_classes: bool,
}

/// Packages with lowered context sensitivity, by internal name with a slash at the end.
#[derive(Debug, Clone, Default)]
pub(crate) struct Coarse {
    packages: FxHashSet<Box<[u8]>>,
    known: FxHashMap<ClassId, bool>,
}

impl Coarse {
    fn told(&self, by_classes: bool) -> Coarsened {
        let name = |package: &[u8]| String::from_utf8_lossy(package).trim_end_matches('/').replace('/', ".");
        let mut packages: Vec<String> = self.packages.iter().map(|it| name(it)).collect();
        packages.sort_unstable();
        Coarsened { packages, by_classes }
    }

    fn is(&mut self, class: ClassId, world: &World<'_>) -> bool {
        !self.packages.is_empty()
            && *self
                .known
                .entry(class)
                .or_insert_with(|| self.packages.contains(package_of(&world.class_of(class).name)))
    }
}

fn package_of(class: &[u8]) -> &[u8] {
    let end = class.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
    &class[..end]
}

/// Like [`analyse_with_targets`], within a ceiling, which analyses by classes do not keep. `too_large` are packages
/// known to use too much.
pub fn analyse_within<'a>(
    source: &'a dyn ClassSource,
    options: Options,
    ceiling: Ceiling,
    too_large: Vec<Box<[u8]>>,
    recorded: &[ReflectiveTarget],
    entries: impl Fn(&mut World<'a>) -> Vec<MethodId>,
) -> (Reached<'a>, Coarsened) {
    let CallGraphKind::Objects(sensitivity) = options.analysis else {
        return (analyse_with_targets(source, options, recorded, &entries), Coarsened::default());
    };
    let mut coarse = Coarse { packages: too_large.into_iter().collect(), ..Coarse::default() };
    for _ in 0..ROUNDS {
        match solved(source, sensitivity, &options, &coarse, ceiling, recorded, &entries) {
            Ok(reached) => return (reached, coarse.told(false)),
            Err(packages) if packages.is_empty() => break,
            Err(packages) => coarse.packages.extend(packages),
        }
    }
    let by_classes = Options { analysis: CallGraphKind::Rta, ..options };
    (analyse_with_targets(source, by_classes, recorded, &entries), coarse.told(true))
}

/// The call graph, or the packages that used the most memory if it does not fit.
fn solved<'a>(
    source: &'a dyn ClassSource,
    sensitivity: Sensitivity,
    options: &Options,
    coarse: &Coarse,
    ceiling: Ceiling,
    recorded: &[ReflectiveTarget],
    entries: &impl Fn(&mut World<'a>) -> Vec<MethodId>,
) -> Result<Reached<'a>, Vec<Box<[u8]>>> {
    let mut solver = Solver::begin(source, sensitivity, options, recorded);
    // Class numbers are those of one run.
    solver.coarse.packages = coarse.packages.clone();
    solver.finish_within(Some(ceiling), entries)
}

impl Solver<'_> {
    /// Context sensitivity is lowered for the package of this class.
    #[inline]
    pub(crate) fn is_coarse(&mut self, class: ClassId) -> bool {
        self.coarse.is(class, &self.world)
    }

    /// The packages with the most instances and objects that make up half of what can be given up: of the application
    /// only when nothing else is left.
    pub(crate) fn heaviest_packages(&self) -> Vec<Box<[u8]>> {
        let mut weights: FxHashMap<(bool, &[u8]), usize> = FxHashMap::default();
        let mut add = |method: MethodId| {
            let class = self.world.class_of(self.world.method(method).class);
            let package = package_of(&class.name);
            if !self.coarse.packages.contains(package) {
                let is_own = matches!(class.layer, Layer::Application | Layer::Tests);
                *weights.entry((is_own, package)).or_default() += 1;
            }
        };
        for instance in &self.instances {
            let (Code::Method(method) | Code::Proxy(method)) = instance.code;
            add(method);
        }
        for object in self.objects.numbers() {
            if let Origin::AllocationSite { method, .. } = self.objects.get(object).origin {
                add(method);
            }
        }
        let has_others = weights.keys().any(|(is_own, _)| !is_own);
        let mut weights: Vec<(usize, &[u8])> = weights
            .into_iter()
            .filter(|((is_own, _), _)| !(*is_own && has_others))
            .map(|((_, package), weight)| (weight, package))
            .collect();
        weights.sort_unstable_by(|one, other| other.cmp(one));
        let half = weights.iter().map(|(weight, _)| weight).sum::<usize>() / 2;
        let mut taken = 0;
        let heaviest = weights.into_iter().take_while(|(weight, _)| {
            let is_needed = taken <= half;
            taken += weight;
            is_needed
        });
        heaviest.map(|(_, package)| package.into()).collect()
    }
}
