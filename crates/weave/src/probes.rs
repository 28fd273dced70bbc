//! The probe methods of the runtime, as numbers that are cheap to keep per probe.

use catchment_protocol::runtime_abi::{self as abi, ProbeMethod};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Probe {
    TryEnter,
    TryExit,
    TryEscape,
    Caught,
    Exchange,
    Throwing,
    Call,
    MethodEnter,
    MethodExit,
    MethodEscape,
    InitialiserEnter,
    InitialiserExit,
    InitialiserEscape,
    InitialiserFail,
}

impl Probe {
    /// Number of them.
    pub(crate) const COUNT: usize = Self::InitialiserFail as usize + 1;

    pub(crate) fn method(self) -> ProbeMethod {
        match self {
            Self::TryEnter => abi::TRY_ENTER,
            Self::TryExit => abi::TRY_EXIT,
            Self::TryEscape => abi::TRY_ESCAPE,
            Self::Caught => abi::CAUGHT,
            Self::Exchange => abi::EXCHANGE,
            Self::Throwing => abi::THROWING,
            Self::Call => abi::CALL,
            Self::MethodEnter => abi::METHOD_ENTER,
            Self::MethodExit => abi::METHOD_EXIT,
            Self::MethodEscape => abi::METHOD_ESCAPE,
            Self::InitialiserEnter => abi::INITIALISER_ENTER,
            Self::InitialiserExit => abi::INITIALISER_EXIT,
            Self::InitialiserEscape => abi::INITIALISER_ESCAPE,
            Self::InitialiserFail => abi::INITIALISER_FAIL,
        }
    }

    /// True if it is given the exception at hand before its id.
    #[inline]
    pub(crate) fn takes_throwable(self) -> bool {
        matches!(
            self,
            Self::TryEscape
                | Self::Caught
                | Self::Exchange
                | Self::Throwing
                | Self::MethodEscape
                | Self::InitialiserEscape
                | Self::InitialiserFail
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Probe;

    #[test]
    fn probes_take_what_their_methods_take() {
        use Probe::*;
        let all = [
            TryEnter,
            TryExit,
            TryEscape,
            Caught,
            Exchange,
            Throwing,
            Call,
            MethodEnter,
            MethodExit,
            MethodEscape,
            InitialiserEnter,
            InitialiserExit,
            InitialiserEscape,
            InitialiserFail,
        ];
        assert_eq!(all.len(), Probe::COUNT);
        for probe in all {
            assert_eq!(probe.takes_throwable(), probe.method().takes_throwable(), "{probe:?}");
        }
    }
}
