package subjects;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;

/** Jetty with a handler that reads files. The one argument is a folder to work in. */
public class JettyMain {
    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        Files.writeString(folder.resolve("greeting.txt"), "hello");
        Server server = new Server();
        ServerConnector connector = new ServerConnector(server);
        connector.setPort(0);
        server.addConnector(connector);
        server.setHandler(new FileHandler(folder));
        server.start();
        try {
            String base = "http://localhost:" + connector.getLocalPort();
            System.out.println(get(base + "/greeting.txt"));
            System.out.println(get(base + "/missing.txt"));
        } catch (IOException notFound) {
            System.out.println(notFound.getMessage());
        } finally {
            server.stop();
        }
    }

    private static String get(String url) throws IOException {
        try (InputStream in = new URL(url).openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    static class FileHandler extends Handler.Abstract {
        private final Path folder;

        FileHandler(Path folder) {
            this.folder = folder;
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            String name = Request.getPathInContext(request).substring(1);
            try {
                Content.Sink.write(response, true, Files.readString(folder.resolve(name)), callback);
            } catch (NoSuchFileException absent) {
                Response.writeError(request, response, callback, 404);
            }
            return true;
        }
    }
}
