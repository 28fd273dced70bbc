package subjects;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.startup.Tomcat;

/** Embedded Tomcat with a servlet that reads a file and asks a URL. The one argument is a folder to work in. */
public class TomcatMain {
    public static void main(String[] arguments) throws IOException, LifecycleException {
        Path folder = Path.of(arguments[0]);
        Files.writeString(folder.resolve("greeting.txt"), "hello");
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(folder.toString());
        tomcat.setPort(0);
        Context context = tomcat.addContext("", folder.toString());
        Tomcat.addServlet(context, "relay", new RelayServlet(folder));
        context.addServletMappingDecoded("/relay/*", "relay");
        tomcat.getConnector();
        tomcat.start();
        try {
            String base = "http://localhost:" + tomcat.getConnector().getLocalPort() + "/relay/";
            System.out.println(get(base + "file"));
            System.out.println(get(base + "url"));
            System.out.println(get(base + "missing"));
        } finally {
            tomcat.stop();
            tomcat.destroy();
        }
    }

    static String get(String url) throws IOException {
        try (InputStream in = new URL(url).openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    static class RelayServlet extends HttpServlet {
        private static final long serialVersionUID = 1;
        private final transient Path folder;

        RelayServlet(Path folder) {
            this.folder = folder;
        }

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response)
                throws ServletException, IOException {
            response.setContentType("text/plain");
            response.getWriter().print(answer(request));
        }

        private String answer(HttpServletRequest request) throws ServletException {
            try {
                switch (request.getPathInfo()) {
                    case "/url":
                        return get("http://localhost:" + request.getServerPort() + "/relay/file");
                    case "/missing":
                        return Files.readString(folder.resolve("missing.txt"));
                    default:
                        return Files.readString(folder.resolve("greeting.txt"));
                }
            } catch (NoSuchFileException absent) {
                return "absent";
            } catch (IOException failure) {
                throw new ServletException("cannot answer", failure);
            }
        }
    }
}
