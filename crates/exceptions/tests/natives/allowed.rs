//! What is no operation though native code below it fails, with the reason.

/// Public method, native method, and why it is no operation. A `*` at the end of a name stands for anything.
const ALLOWED: &[(&str, &str, &str)] = &[
    ("java.io.FileInputStream$1.close", "java.io.FileDescriptor.close0", CLOSER),
    ("java.io.FileOutputStream$1.close", "java.io.FileDescriptor.close0", CLOSER),
    ("java.io.RandomAccessFile$1.close", "java.io.FileDescriptor.close0", CLOSER),
    ("java.lang.Class.forName", "java.lang.Class.forName0", "class loaders throw what they do not find"),
    ("java.lang.Class.newInstance", "*", REFLECTION),
    ("java.lang.reflect.Constructor.newInstance", "*", REFLECTION),
    ("java.lang.reflect.Array.*", "java.lang.reflect.Array.*", REFLECTION),
    (
        "java.lang.invoke.MethodHandle.*",
        "java.lang.invoke.MethodHandle.*",
        "it throws what its target throws",
    ),
    ("java.security.AccessController.doPrivileged", "*", "it throws what its action throws"),
    ("java.security.MessageDigestSpi.clone", "java.lang.Object.clone", CLONE),
    ("java.security.SignatureSpi.clone", "java.lang.Object.clone", CLONE),
    ("javax.crypto.Mac*", "java.lang.Object.clone", CLONE),
    ("java.net.NetMulticastSocket.bind", "java.net.PlainDatagramSocketImpl.bind0", DELEGATE),
    ("java.net.NetMulticastSocket.connect", "java.net.PlainDatagramSocketImpl.connect0", DELEGATE),
    ("java.net.NetMulticastSocket.receive", "java.net.PlainDatagramSocketImpl.*", DELEGATE),
    ("java.net.NetMulticastSocket.send", "java.net.PlainDatagramSocketImpl.send0", DELEGATE),
    ("sun.nio.ch.FileChannelImpl.read", "sun.nio.ch.DatagramDispatcher.read*", DISPATCHER),
    ("sun.nio.ch.FileChannelImpl.read", "sun.nio.ch.SocketDispatcher.read*", DISPATCHER),
    ("sun.nio.ch.FileChannelImpl.read", "sun.nio.ch.FileDispatcherImpl.read*", SHARED),
    ("sun.nio.ch.FileChannelImpl.write", "sun.nio.ch.DatagramDispatcher.write*", DISPATCHER),
    ("sun.nio.ch.FileChannelImpl.write", "sun.nio.ch.SocketDispatcher.write*", DISPATCHER),
    ("sun.nio.ch.FileChannelImpl.write", "sun.nio.ch.FileDispatcherImpl.write*", SHARED),
    ("sun.nio.ch.FileChannelImpl.write", "sun.nio.ch.UnixDispatcher.write*", DISPATCHER),
    ("sun.nio.ch.FileChannelImpl.read", "sun.nio.ch.UnixDispatcher.read*", DISPATCHER),
];

const CLOSER: &str = "only the stream's close calls it, which is an operation";
const REFLECTION: &str = "the program is at fault, not its environment";
const CLONE: &str = "the program is at fault, not its environment";
const DELEGATE: &str = "only the method of that name in DatagramSocket calls it, which is an operation";
const DISPATCHER: &str = "a file's channel has the dispatcher of files, whose methods are operations";
const SHARED: &str = "called past FileDispatcherImpl.read and write by dispatchers of sockets alone";

pub(crate) fn is_allowed(gap: &str) -> bool {
    let Some((public, native)) = gap.split_once(" -> ") else { return false };
    ALLOWED.iter().any(|(from, to, _)| fits(from, public) && fits(to, native))
}

fn fits(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}
