//! Edges that only let instances of a type through, or only what is no instance of it.
//!
//! For each type that is asked for there is a set of all objects that fit, kept up as objects are made.

use crate::cache_format::cached;
use crate::ids::ClassId;
use crate::sets::Set;
use crate::world::{Fits, Typed, World};
use rustc_hash::FxHashMap;

/// The objects that an edge lets through: everything, instances of a type, or all others. A small number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Filter(u32);

impl Filter {
    pub const NONE: Self = Self(u32::MAX);

    fn new(mask: usize, wanted: bool) -> Self {
        Self((mask as u32) << 1 | u32::from(wanted))
    }

    /// The number of the type, and whether its instances are let through or all others.
    pub(super) fn parts(self) -> Option<(usize, bool)> {
        (self != Self::NONE).then_some(((self.0 >> 1) as usize, self.0 & 1 == 1))
    }
}

cached! { struct Filter(number) }

#[derive(Debug, Clone)]
struct Mask {
    class: ClassId,
    /// Objects that are instances, or might be.
    possible: Set,
    /// Objects that surely are.
    certain: Set,
}

cached! { struct Mask { class, possible, certain } }

#[derive(Debug, Clone, Default)]
pub struct Filters {
    masks: Vec<Mask>,
    by_class: FxHashMap<ClassId, usize>,
    /// Of each type of which there are objects: the masks that it fits, and its objects.
    known: FxHashMap<Typed, Known>,
}

cached! { struct Filters { masks, by_class, known } }

#[derive(Debug, Clone, Default)]
struct Known {
    fitting: Vec<(usize, Fits)>,
    objects: Vec<u32>,
}

cached! { struct Known { fitting, objects } }

impl Filters {
    /// Lets instances of `class` through.
    pub fn is(&mut self, class: ClassId, world: &World<'_>) -> Filter {
        if class == world.object { Filter::NONE } else { Filter::new(self.mask_of(class, world), true) }
    }

    /// Lets through what is not surely an instance of `class`.
    pub fn is_not(&mut self, class: ClassId, world: &World<'_>) -> Filter {
        Filter::new(self.mask_of(class, world), false)
    }

    /// The types that are asked for, by number.
    pub(super) fn classes(&self) -> impl Iterator<Item = ClassId> {
        self.masks.iter().map(|mask| mask.class)
    }

    fn mask_of(&mut self, class: ClassId, world: &World<'_>) -> usize {
        if let Some(at) = self.by_class.get(&class) {
            return *at;
        }
        let at = self.masks.len();
        let mut mask = Mask { class, possible: Set::default(), certain: Set::default() };
        let mut objects: Vec<(u32, Fits)> = Vec::new();
        for (of, known) in &mut self.known {
            let fits = world.typed_fits(*of, class);
            if fits != Fits::No {
                known.fitting.push((at, fits));
                objects.extend(known.objects.iter().map(|object| (*object, fits)));
            }
        }
        objects.sort_unstable_by_key(|(object, _)| *object);
        for (object, fits) in objects {
            mask.add(object, fits);
        }
        self.masks.push(mask);
        self.by_class.insert(class, at);
        at
    }

    /// A new object.
    pub(crate) fn add_object(&mut self, object: u32, class: Typed, world: &World<'_>) {
        let masks = &mut self.masks;
        let known = self.known.entry(class).or_insert_with(|| {
            let fitting =
                masks.iter().enumerate().map(|(at, mask)| (at, world.typed_fits(class, mask.class)));
            Known { fitting: fitting.filter(|(_, fits)| *fits != Fits::No).collect(), objects: Vec::new() }
        });
        known.objects.push(object);
        for (at, fits) in &known.fitting {
            masks[*at].add(object, *fits);
        }
    }

    /// The set that decides, and whether what is in it is let through.
    #[inline]
    pub(crate) fn mask(&self, filter: Filter) -> Option<(&Set, bool)> {
        let (mask, wanted) = filter.parts()?;
        let mask = &self.masks[mask];
        Some((if wanted { &mask.possible } else { &mask.certain }, wanted))
    }
}

impl Mask {
    fn add(&mut self, object: u32, fits: Fits) {
        self.possible.insert(object);
        if fits == Fits::Yes {
            self.certain.insert(object);
        }
    }
}
