//! Classes that are made while a program runs, by their names: no class path has them.

/// The maker of a class at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Maker {
    /// Lambdas and method handles. The analysis knows what they lead to, and their frames say nothing.
    Lambda,
    /// Proxies, accessors of reflection, mocks.
    Other,
}

/// In names of hidden classes of lambdas and of the frames of method handles, some of which the JDK has prepared.
const LAMBDAS: [&str; 5] = [
    "$$Lambda",
    "java.lang.invoke.LambdaForm$",
    "java.lang.invoke.DirectMethodHandle$Holder",
    "java.lang.invoke.DelegatingMethodHandle$Holder",
    "java.lang.invoke.Invokers$Holder",
];

const OTHERS: [&str; 12] = [
    "$Proxy",
    "GeneratedMethodAccessor",
    "GeneratedConstructorAccessor",
    "GeneratedSerializationConstructorAccessor",
    "$MockitoMock$",
    "$$EnhancerBy",
    "$$FastClassBy",
    "$ByteBuddy$",
    "$$SpringCGLIB$$",
    "$HibernateProxy$",
    "_$$_jvst",
    "$InjectedInvoker",
];

/// The maker of classes of this binary name; none if the name looks like any other.
pub(super) fn maker_of(class: &str) -> Option<Maker> {
    if LAMBDAS.iter().any(|part| class.contains(part)) {
        return Some(Maker::Lambda);
    }
    (OTHERS.iter().any(|part| class.contains(part)) || is_hidden(class)).then_some(Maker::Other)
}

/// Hidden classes have the address of their mirror behind their name: `a.B/0x0000000800c03000`, or `+` or `.` before
/// it.
fn is_hidden(class: &str) -> bool {
    let Some((before, address)) = class.rsplit_once("0x") else { return false };
    before.ends_with(['/', '+', '.'])
        && !address.is_empty()
        && address.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lambdas_proxies_and_accessors_are_known_by_their_names() {
        for lambda in [
            "a.Main$$Lambda$14.0x0000000800c03000",
            "a.Main$$Lambda/1324",
            "java.lang.invoke.LambdaForm$MH.0x1",
        ] {
            assert_eq!(maker_of(lambda), Some(Maker::Lambda), "{lambda}");
        }
        for other in [
            "com.sun.proxy.$Proxy12",
            "jdk.proxy2.$Proxy3",
            "jdk.internal.reflect.GeneratedMethodAccessor7",
            "a.Service$MockitoMock$123",
            "a.Template/0x00007f0001020304",
        ] {
            assert_eq!(maker_of(other), Some(Maker::Other), "{other}");
        }
    }

    #[test]
    fn names_that_people_write_are_not() {
        for name in
            ["a.Main", "a.Main$1", "a.Main$Lambda", "a.Proxy", "x0x1f", "java.lang.invoke.MethodHandles"]
        {
            assert_eq!(maker_of(name), None, "{name}");
        }
    }
}
