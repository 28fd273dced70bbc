//! The raising point of a recorded exception, as the analysis counts them.
//!
//! An operation of the catalogue raises as a whole, so the outermost one on the stack is the point. Else it is the
//! instruction that raised. What reflection and class initialisation wrap is raised by native code or generated
//! classes, for the analysis by the call that led there.

use super::resolved::{Instruction, Resolved, Resolver, instruction_at};
use super::{RecordedFrame, Recording};
use crate::exception_flow::ExceptionFlowOptions;
use crate::exception_flow::raising_points::{RaisingKind, RaisingPoint};
use catchment_pointsto::ImplicitKind;
use catchment_pointsto::MethodId;
use catchment_pointsto::World;
use smallvec::{SmallVec, smallvec};

/// The raising point of a recorded exception.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Raiser {
    /// At one of these points: the analysis may count it at any of them. The first stands for it.
    Points(SmallVec<[RaisingPoint; 2]>),
    /// In native code without a raising point, called from this instruction.
    Native { caller: Option<(MethodId, u16)>, native: Option<MethodId> },
    /// By the JVM, for want of memory or for reasons that no instruction shows.
    AnyTime(MethodId, u16),
    /// In a class that the analysis does not have.
    Elsewhere,
}

/// A raiser and the frame of the journey that it is in.
#[derive(Debug)]
pub(super) struct Raising {
    pub(super) by: Raiser,
    pub(super) frame: usize,
}

const TARGET_EXCEPTION: &str = "java.lang.reflect.InvocationTargetException";
const INITIALISER_ERROR: &str = "java.lang.ExceptionInInitializerError";

/// Looks for the raising point of one journey.
pub(super) struct Finder<'f, 'a> {
    pub(super) resolver: &'f mut Resolver,
    pub(super) world: &'f mut World<'a>,
    pub(super) recording: &'f Recording,
    pub(super) options: &'f ExceptionFlowOptions,
    pub(super) exception: &'f str,
    pub(super) frames: &'f [RecordedFrame],
}

impl Finder<'_, '_> {
    pub(super) fn find(&mut self) -> Raising {
        self.operation().or_else(|| self.wrapped()).unwrap_or_else(|| self.instruction())
    }

    fn method(&mut self, frame: usize) -> Resolved {
        self.resolver.method(self.world, self.recording, self.frames[frame].method)
    }

    /// The outermost operation below the frame that caught: nothing inside it raises again.
    fn operation(&mut self) -> Option<Raising> {
        (0..self.frames.len().saturating_sub(1)).rev().find_map(|frame| {
            let method = self.method(frame).method()?;
            let operation = self.options.operations.get(&method)?;
            let point = RaisingPoint { method, pc: 0, kind: RaisingKind::Operation(operation.operation) };
            Some(Raising { by: Raiser::Points(smallvec![point]), frame })
        })
    }

    /// The point that wraps the exception of a target or an initialiser, if it was not thrown by code that somebody
    /// wrote.
    fn wrapped(&mut self) -> Option<Raising> {
        let kind = match self.exception {
            TARGET_EXCEPTION => RaisingKind::Throw,
            INITIALISER_ERROR => RaisingKind::Initialiser,
            _ => return None,
        };
        let own = self.throw_at(0);
        let is_from_below = self.is_machinery(0) || self.frames.first()?.pc.is_none();
        if own.is_some() && !is_from_below {
            return None;
        }
        let frame = (0..self.frames.len()).find(|frame| !self.is_machinery(*frame))?;
        let (method, pc) = (self.method(frame).method()?, self.frames[frame].pc?);
        let points = own.into_iter().chain([RaisingPoint { method, pc, kind }]);
        Some(Raising { by: Raiser::Points(points.collect()), frame })
    }

    /// Tells whether a frame only carries out what another has asked for.
    fn is_machinery(&mut self, frame: usize) -> bool {
        const PACKAGES: [&str; 4] =
            ["java.lang.reflect.", "jdk.internal.reflect.", "sun.reflect.", "java.lang.invoke."];
        const CLASSES: [&str; 3] = ["java.lang.Class", "jdk.internal.misc.Unsafe", "sun.misc.Unsafe"];
        if self.frames[frame].pc.is_none() || matches!(self.method(frame), Resolved::Generated(_)) {
            return true;
        }
        let Some(method) = self.recording.methods.get(self.frames[frame].method) else { return false };
        PACKAGES.iter().any(|package| method.class.starts_with(package))
            || CLASSES.contains(&method.class.as_str())
    }

    /// The `throw` that a frame is at.
    fn throw_at(&mut self, frame: usize) -> Option<RaisingPoint> {
        let (method, pc) = (self.method(frame).method()?, self.frames[frame].pc?);
        let is_throw = instruction_at(self.world, method, pc) == Some(Instruction::Throw);
        is_throw.then_some(RaisingPoint { method, pc, kind: RaisingKind::Throw })
    }

    fn instruction(&mut self) -> Raising {
        let by = match (self.method(0), self.frames[0].pc) {
            (Resolved::Method(method), Some(pc)) => self.at(method, pc),
            (Resolved::Method(native), None) => {
                Raiser::Native { caller: self.caller_of_native(), native: Some(native) }
            }
            _ => Raiser::Elsewhere,
        };
        Raising { by, frame: 0 }
    }

    fn at(&mut self, method: MethodId, pc: u16) -> Raiser {
        let implicit =
            self.implicit_kind().map(|kind| RaisingPoint { method, pc, kind: RaisingKind::Implicit(kind) });
        match (instruction_at(self.world, method, pc), implicit) {
            (Some(Instruction::Throw), implicit) => {
                let thrown = RaisingPoint { method, pc, kind: RaisingKind::Throw };
                // A `throw` of null.
                let null = implicit.filter(|it| it.kind == RaisingKind::Implicit(ImplicitKind::Null));
                Raiser::Points([thrown].into_iter().chain(null).collect())
            }
            (Some(Instruction::Call(_)), Some(implicit)) if is_raised_at_calls(implicit.kind) => {
                Raiser::Points(smallvec![implicit])
            }
            (Some(Instruction::Call(constant)), _) if !self.is_of_the_jvm() => {
                // Compiled native methods have no frame: the call of one seems to raise.
                let class = self.world.method(method).class;
                let called = self.world.method_ref(class, constant);
                let native = called.filter(|called| self.world.method(*called).is_native());
                Raiser::Native { caller: Some((method, pc)), native }
            }
            (_, Some(implicit)) => Raiser::Points(smallvec![implicit]),
            _ => Raiser::AnyTime(method, pc),
        }
    }

    /// The same for native methods with a frame of their own and those without.
    fn caller_of_native(&mut self) -> Option<(MethodId, u16)> {
        let frame = (1..self.frames.len()).find(|frame| self.frames[*frame].pc.is_some())?;
        Some((self.method(frame).method()?, self.frames[frame].pc?))
    }

    /// Why the JVM throws exceptions of this class at instructions.
    fn implicit_kind(&mut self) -> Option<ImplicitKind> {
        let kind = match self.exception {
            "java.lang.NullPointerException" => ImplicitKind::Null,
            "java.lang.ClassCastException" => ImplicitKind::Cast,
            "java.lang.ArrayIndexOutOfBoundsException" => ImplicitKind::Index,
            "java.lang.NegativeArraySizeException" => ImplicitKind::NegativeSize,
            "java.lang.ArrayStoreException" => ImplicitKind::ArrayStore,
            "java.lang.ArithmeticException" => ImplicitKind::Arithmetic,
            _ => return self.is_a(b"java/lang/LinkageError").then_some(ImplicitKind::Link),
        };
        Some(kind)
    }

    /// The JVM raises it whatever is called.
    fn is_of_the_jvm(&mut self) -> bool {
        self.is_a(b"java/lang/VirtualMachineError") || self.is_a(b"java/lang/ThreadDeath")
    }

    fn is_a(&mut self, class: &[u8]) -> bool {
        let exception = self.world.class(&super::internal_name(self.exception));
        let class = self.world.class(class);
        self.world.is_subtype(exception, class)
    }
}

/// The JVM looks for the method that is called, and for its receiver; what else a call seems to raise comes from native
/// code.
fn is_raised_at_calls(kind: RaisingKind) -> bool {
    matches!(kind, RaisingKind::Implicit(ImplicitKind::Null | ImplicitKind::Link))
}
