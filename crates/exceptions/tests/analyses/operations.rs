//! Operations of the catalogue where user code meets them, and those that a project adds.

use crate::program::Program;
use catchment_exceptions::{
    Catalogue, FaultSelection, FaultTable, LinksAnswer, Match, RaisedBy, SearchRequest,
};

/// Only operations raise.
fn answer(source: &str, faults: Vec<FaultTable>) -> LinksAnswer {
    let program = Program::compile(source, Vec::new());
    let mut catalogue = Catalogue::of_jdk().expect("a catalogue");
    catalogue.add(faults).expect("faults");
    let request = SearchRequest {
        faults: FaultSelection::All,
        catalogue,
        throws: false,
        ..program.request("inpta", &[])
    };
    program.search(&request).expect("a program").answer()
}

/// What comes to the clause of a method: `NET_BIND DatagramSocket.bind`.
fn coming_to(answer: &LinksAnswer, method: &str) -> Vec<String> {
    let links = answer.links.iter().filter(|link| answer.pairs[link.to].pair.method == method);
    let points = links.map(|link| &answer.points[link.from]);
    let mut named: Vec<String> = points
        .map(|point| {
            let RaisedBy::Operation { kind, .. } = &point.by else { return "something else".to_owned() };
            let class = point.site.class.rsplit('.').next().unwrap_or_default();
            format!("{kind} {class}.{}", point.site.method)
        })
        .collect();
    named.sort();
    named.dedup();
    named
}

const CALLS: &[(&str, &str, &str)] = &[
    // The JDK closes these and throws on what was raised.
    ("socket", "new Socket(a[0], 1);", "NET_CONNECT Socket.<init>"),
    ("connected", "new Socket().connect(new InetSocketAddress(1));", "NET_CONNECT Socket.connect"),
    ("channel", "SocketChannel.open(new InetSocketAddress(1));", "NET_CONNECT SocketChannel.open"),
    ("server", "new ServerSocket(1);", "NET_BIND ServerSocket.<init>"),
    ("bound", "new ServerSocket().bind(null);", "NET_BIND ServerSocket.bind"),
    ("accepted", "new ServerSocket().accept();", "NET_ACCEPT ServerSocket.implAccept"),
    ("datagram", "new DatagramSocket(1);", "NET_BIND DatagramSocket.createDelegate"),
    ("walk", "Files.walk(Path.of(a[0]));", "DSK_META FileTreeIterator.<init>"),
    (
        "visit",
        "Files.walkFileTree(Path.of(a[0]), new SimpleFileVisitor<Path>() { });",
        "DSK_META SimpleFileVisitor.visitFileFailed",
    ),
    (
        "send",
        "HttpClient.newHttpClient().send(HttpRequest.newBuilder(URI.create(a[0])).build(), BodyHandlers.ofString());",
        "NET_REQUEST HttpClientImpl.send",
    ),
    (
        "secure",
        "((SSLSocket) SSLSocketFactory.getDefault().createSocket()).startHandshake();",
        "NET_CONNECT SSLSocketImpl.startHandshake",
    ),
    // Native code below these fails.
    ("loopback", "NetworkInterface.getByIndex(1).isLoopback();", "NET_OPTION NetworkInterface.isLoopback"),
    ("pipe", "Pipe.open();", "PIPE SelectorProviderImpl.openPipe"),
    ("source", "Pipe.open().source().read(ByteBuffer.allocate(1));", "PIPE SourceChannelImpl.read"),
    ("sink", "Pipe.open().sink().write(ByteBuffer.allocate(1));", "PIPE SinkChannelImpl.write"),
    (
        "blocking",
        "SocketChannel.open().configureBlocking(false);",
        "NET_OPTION SocketChannelImpl.implConfigureBlocking",
    ),
    (
        "urgent",
        "SocketChannel.open().socket().sendUrgentData(1);",
        "NET_WRITE SocketChannelImpl.sendOutOfBandData",
    ),
    ("selector", "Selector.open().close();", "NET_CLOSE SelectorImpl.implCloseSelector"),
    ("disconnect", "DatagramChannel.open().disconnect();", "NET_CONNECT DatagramChannelImpl.disconnect"),
    (
        "option",
        "new Socket().setOption(StandardSocketOptions.SO_LINGER, 1);",
        "NET_OPTION NioSocketImpl.setOption",
    ),
    ("inflate", "new Inflater().inflate(new byte[1]);", "DATA_FORMAT Inflater.inflate"),
    ("watch", "FileSystems.getDefault().newWatchService();", "DSK_META LinuxFileSystem.newWatchService"),
    (
        "owner",
        "FileSystems.getDefault().getUserPrincipalLookupService().lookupPrincipalByName(a[0]);",
        "DSK_META UnixUserPrincipals.lookupUser",
    ),
    (
        "force",
        "FileChannel.open(Path.of(a[0])).map(FileChannel.MapMode.READ_WRITE, 0, 1).force();",
        "DSK_SYNC MappedMemoryUtils.force",
    ),
];

#[test]
fn user_code_meets_the_operation_that_it_means() {
    let methods = CALLS.iter().map(|(name, body, _)| {
        format!("static void {name}(String[] a) {{ try {{ {body} }} catch (Exception e) {{ }} }}\n")
    });
    let calls = CALLS.iter().map(|(name, _, _)| format!("{name}(a);\n"));
    let source = format!(
        "import java.net.*; import java.net.http.*; import java.net.http.HttpResponse.*; import java.nio.*;
         import java.nio.channels.*; import java.nio.file.*; import java.util.zip.*; import javax.net.ssl.*;
         class T {{ public static void main(String[] a) {{ {} }} {} }}",
        calls.collect::<String>(),
        methods.collect::<String>()
    );
    let answer = answer(&source, Vec::new());
    for (name, _, expected) in CALLS {
        let found = coming_to(&answer, name);
        assert!(found.iter().any(|it| it == expected), "{name} lacks {expected}: {found:?}");
    }
    assert_eq!(coming_to(&answer, "datagram"), ["NET_BIND DatagramSocket.createDelegate"]);
}

fn fault(class: &str, method: &str, throws: &str) -> FaultTable {
    FaultTable {
        kind: "ASK".to_owned(),
        class: class.to_owned(),
        method: method.to_owned(),
        descriptor: None,
        throws: vec![throws.to_owned()],
        since: None,
        until: None,
    }
}

const OWN: &str = "
    class Lost extends Exception { }
    interface Client { String ask() throws Lost; default String again() throws Lost { return ask(); } }
    class Near implements Client { public String ask() { return null; } }
    class Plain { public String ask() { return null; } }
    class Far extends Plain implements Client { public String again() { return null; } }
    class Unused implements Client { public String ask() { return null; } }
    abstract class Queue { abstract String take() throws Lost; String peek() throws Lost { return null; } }
    class Stack extends Queue { String take() { return null; } }
    class Bytes extends java.io.InputStream { public int read() { return 0; } }
    class T {
        static void near() { try { ask(new Near()); } catch (Lost e) { } }
        static String ask(Client client) throws Lost { return client.ask(); }
        static void far() { try { new Far().again(); Client client = new Far(); client.ask(); } catch (Lost e) { } }
        static void lambda() { try { Client client = () -> null; client.ask(); } catch (Lost e) { } }
        static void take() { try { Queue queue = new Stack(); queue.take(); } catch (Lost e) { } }
        static void peek() { try { new Stack().peek(); } catch (Lost e) { } }
        public static void main(String[] a) { near(); far(); lambda(); take(); peek(); new Bytes(); }
    }";

#[test]
fn implementations_and_inherited_methods_stand_for_what_a_project_names() {
    let faults = vec![
        fault("Client", "ask", "Lost"),
        fault("Client", "again", "Lost"),
        fault("Queue", "take", "Lost"),
        fault("Stack", "peek", "Lost"),
    ];
    let answer = answer(OWN, faults);
    assert_eq!(coming_to(&answer, "far"), ["ASK Client.again", "ASK Client.ask"]);
    assert_eq!(coming_to(&answer, "lambda"), ["ASK Client.ask"]);
    assert_eq!(coming_to(&answer, "take"), ["ASK Queue.take"]);
    assert_eq!(coming_to(&answer, "peek"), ["ASK Stack.peek"]);
    assert!(coming_to(&answer, "near").contains(&"ASK Client.ask".to_owned()));
    assert_eq!(answer.fault_problems, []);
    let ask = answer.catalogue.iter().find(|it| it.operation.table == Some(1)).expect("the first fault");
    assert_eq!(ask.found, Match::Reached(3));
    let again = answer.catalogue.iter().find(|it| it.operation.table == Some(2)).expect("the second fault");
    assert_eq!(again.found, Match::Reached(1));
}

#[test]
fn what_a_project_names_in_vain_is_told() {
    let faults = vec![
        fault("Clint", "ask", "Lost"),
        fault("Stack", "push", "Lost"),
        fault("Bytes", "skip", "java.io.IOException"),
        fault("Near", "ask", "Lots"),
        fault("Plain", "ask", "Near"),
        FaultTable { until: Some(11), ..fault("Old", "ask", "Gone") },
    ];
    let answer = answer(OWN, faults);
    let told: Vec<String> =
        answer.fault_problems.iter().map(|it| format!("{}: {}", it.entry, it.what)).collect();
    let expected = [
        "fault 1 (Clint.ask): there is no class Clint",
        "fault 2 (Stack.push): neither the class nor one above it has such a method",
        "fault 3 (Bytes.skip): the class has the method from java.io.InputStream; name that class if all below it are meant",
        "fault 4 (Near.ask): there is no class Lots, which it throws",
        "fault 5 (Plain.ask): Near, which it throws, is no exception",
    ];
    assert_eq!(told, expected);
}
