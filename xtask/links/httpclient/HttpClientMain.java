package subjects;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.entity.StringEntity;

/** Apache HttpClient against a server of a few lines. */
public class HttpClientMain {
    public static void main(String[] arguments) throws IOException, InterruptedException {
        try (ServerSocket server = new ServerSocket(0)) {
            Thread answering = new Thread(() -> answer(server));
            answering.start();
            ask("http://localhost:" + server.getLocalPort() + "/");
            server.close();
            answering.join();
        }
        try {
            ask("http://localhost:1/");
        } catch (IOException refused) {
            System.out.println("refused");
        }
    }

    private static void ask(String url) throws IOException {
        try (CloseableHttpClient client = HttpClients.createDefault()) {
            String body = client.execute(new HttpGet(url), response -> EntityUtils.toString(response.getEntity()));
            HttpPost post = new HttpPost(url);
            post.setEntity(new StringEntity("question"));
            Integer code = client.execute(post, response -> response.getCode());
            System.out.println(body + " " + code);
        }
    }

    private static void answer(ServerSocket server) {
        while (!server.isClosed()) {
            try (Socket socket = server.accept()) {
                BufferedReader in =
                        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
                int length = skipHead(in);
                while (length-- > 0) {
                    in.read();
                }
                OutputStream out = socket.getOutputStream();
                out.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"
                        .getBytes(StandardCharsets.UTF_8));
                out.flush();
            } catch (IOException closed) {
                System.out.println("connection ended");
            }
        }
    }

    /** Reads to the empty line; the length of the body. */
    private static int skipHead(BufferedReader in) throws IOException {
        int length = 0;
        for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
            if (line.toLowerCase().startsWith("content-length:")) {
                length = Integer.parseInt(line.substring(15).trim());
            }
        }
        return length;
    }
}
