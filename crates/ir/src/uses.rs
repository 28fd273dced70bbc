//! Variables that an operation reads, and the one it defines.

use crate::body::{Body, Op, Operands, Var};

impl Op {
    /// The variable it defines.
    pub fn dst(&self) -> Option<Var> {
        match *self {
            Self::Phi { dst, .. }
            | Self::Catch { dst }
            | Self::Null { dst }
            | Self::Constant { dst, .. }
            | Self::New { dst, .. }
            | Self::NewArray { dst, .. }
            | Self::Cast { dst, .. } => Some(dst),
            Self::GetField { dst, .. }
            | Self::GetStatic { dst, .. }
            | Self::ArrayLoad { dst, .. }
            | Self::Invoke { dst, .. }
            | Self::InvokeDynamic { dst, .. } => dst,
            _ => None,
        }
    }

    /// The variable that must not be null, or it throws a `NullPointerException`.
    pub fn dereferenced(&self) -> Option<Var> {
        match *self {
            Self::GetField { base, .. } | Self::PutField { base, .. } => Some(base),
            Self::ArrayLoad { array, .. } | Self::ArrayStore { array, .. } | Self::ArrayLength { array } => {
                Some(array)
            }
            Self::Invoke { receiver, .. } => receiver,
            Self::Throw { src } | Self::MonitorEnter { src } | Self::MonitorExit { src } => Some(src),
            _ => None,
        }
    }

    /// The list that it reads besides [`Self::for_each_use`]: arguments of a call, sources of a phi.
    pub fn operands(&self) -> Option<Operands> {
        match *self {
            Self::Phi { sources, .. } => Some(sources),
            Self::Invoke { arguments, .. } | Self::InvokeDynamic { arguments, .. } => Some(arguments),
            _ => None,
        }
    }

    /// Calls `with` for every variable that it reads itself, not through a list.
    pub fn for_each_use(&self, mut with: impl FnMut(Var)) {
        let mut op = *self;
        let dst = self.dst();
        // Definitions come first, so that the rest are uses.
        let mut is_definition = dst.is_some();
        op.change_variables(|variable| {
            if !std::mem::take(&mut is_definition) {
                with(*variable);
            }
        });
    }

    /// Calls `with` for every variable, the defined one first.
    #[inline]
    pub(crate) fn change_variables(&mut self, mut with: impl FnMut(&mut Var)) {
        match self {
            Self::Phi { dst, .. }
            | Self::Catch { dst }
            | Self::Null { dst }
            | Self::Constant { dst, .. }
            | Self::New { dst, .. }
            | Self::NewArray { dst, .. } => with(dst),
            Self::Cast { dst, src, .. } => {
                with(dst);
                with(src);
            }
            Self::GetField { dst, base, .. } => {
                dst.iter_mut().for_each(&mut with);
                with(base);
            }
            Self::PutField { base, src, .. } => {
                with(base);
                src.iter_mut().for_each(with);
            }
            Self::GetStatic { dst, .. } | Self::InvokeDynamic { dst, .. } => dst.iter_mut().for_each(with),
            Self::PutStatic { src, .. } | Self::Return { src } => src.iter_mut().for_each(with),
            Self::ArrayLoad { dst, array } => {
                dst.iter_mut().for_each(&mut with);
                with(array);
            }
            Self::ArrayStore { array, src } => {
                with(array);
                src.iter_mut().for_each(with);
            }
            Self::Invoke { receiver, dst, .. } => dst.iter_mut().chain(receiver).for_each(with),
            Self::InstanceOf { src, .. }
            | Self::ArrayLength { array: src }
            | Self::Throw { src }
            | Self::MonitorEnter { src }
            | Self::MonitorExit { src }
            | Self::NullTest { src, .. } => with(src),
            Self::NumberConstant { .. } | Self::Divide => {}
        }
    }
}

impl Body {
    /// Calls `with` for every variable that the operation reads.
    pub fn for_each_use(&self, op: &Op, mut with: impl FnMut(Var)) {
        op.for_each_use(&mut with);
        let operands = op.operands().unwrap_or_default();
        self.operands(operands).iter().flatten().copied().for_each(with);
    }
}
