//! Addresses that lie outside this machine. No JVM here.

use std::net::{IpAddr, SocketAddr, UdpSocket};

/// How a connection is listed, unless it stays on this machine. `address` is numeric, possibly with a scope.
pub(crate) fn external_connection(address: &str, port: u16) -> Option<String> {
    let address = address.split('%').next()?.parse::<IpAddr>().ok()?.to_canonical();
    is_external(address).then(|| SocketAddr::new(address, port).to_string())
}

/// True if looking up this name asks anybody else. `answers` are the numeric addresses found.
pub(crate) fn is_external_name(name: &str, answers: &[String]) -> bool {
    if name.is_empty() || name == "localhost" || name.ends_with(".localhost") || is_own_name(name) {
        return false;
    }
    let numeric = |text: &str| {
        text.split('%')
            .next()
            .and_then(|text| text.parse().ok())
            .map(|address: IpAddr| address.to_canonical())
    };
    numeric(name).is_none()
        && (answers.is_empty() || answers.iter().filter_map(|each| numeric(each)).any(is_external))
}

fn is_external(address: IpAddr) -> bool {
    !address.is_loopback() && !address.is_unspecified() && !is_own(address)
}

/// Only addresses of this machine can be bound to.
fn is_own(address: IpAddr) -> bool {
    !address.is_multicast() && UdpSocket::bind((address, 0)).is_ok()
}

fn is_own_name(name: &str) -> bool {
    std::fs::read_to_string("/proc/sys/kernel/hostname").is_ok_and(|own| own.trim() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_and_own_addresses_are_not_external() {
        for own in ["127.0.0.1", "127.8.8.8", "::1", "0.0.0.0", "::", "::ffff:127.0.0.1", "::1%lo"] {
            assert_eq!(external_connection(own, 80), None, "{own}");
        }
        assert_eq!(external_connection("203.0.113.7", 80).as_deref(), Some("203.0.113.7:80"));
        assert_eq!(external_connection("2001:db8::1%eth0", 443).as_deref(), Some("[2001:db8::1]:443"));
        assert_eq!(external_connection("::ffff:203.0.113.7", 80).as_deref(), Some("203.0.113.7:80"));
        assert_eq!(external_connection("239.1.2.3", 5).as_deref(), Some("239.1.2.3:5"));
    }

    #[test]
    fn names_are_external_unless_they_stay_here() {
        assert!(!is_external_name("localhost", &["127.0.0.1".into()]));
        assert!(!is_external_name("build.local", &["127.0.1.1".into()]));
        assert!(!is_external_name("192.0.2.1", &[]));
        assert!(is_external_name("example.org", &[]));
        assert!(is_external_name("example.org", &["203.0.113.7".into()]));
    }
}
