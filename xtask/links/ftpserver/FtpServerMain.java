package subjects;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.ftpserver.FtpServer;
import org.apache.ftpserver.FtpServerFactory;
import org.apache.ftpserver.ftplet.FtpException;
import org.apache.ftpserver.listener.ListenerFactory;
import org.apache.ftpserver.usermanager.impl.BaseUser;

/** Apache FtpServer with one user, and a client of a few lines. The one argument is a folder to work in. */
public class FtpServerMain {
    public static void main(String[] arguments) throws FtpException, IOException {
        Path folder = Path.of(arguments[0]);
        Files.writeString(folder.resolve("greeting.txt"), "hello\n");
        FtpServerFactory servers = new FtpServerFactory();
        ListenerFactory listeners = new ListenerFactory();
        listeners.setPort(0);
        servers.addListener("default", listeners.createListener());
        BaseUser user = new BaseUser();
        user.setName("reader");
        user.setPassword("secret");
        user.setHomeDirectory(folder.toString());
        servers.getUserManager().save(user);
        FtpServer server = servers.createServer();
        server.start();
        try {
            talk(servers.getListener("default").getPort());
        } finally {
            server.stop();
        }
    }

    private static void talk(int port) throws IOException {
        try (Socket control = new Socket("localhost", port)) {
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(control.getInputStream(), StandardCharsets.UTF_8));
            PrintWriter out = new PrintWriter(control.getOutputStream(), true);
            System.out.println(in.readLine());
            say(out, in, "USER reader");
            say(out, in, "PASS secret");
            say(out, in, "PWD");
            fetch(out, in, "LIST");
            fetch(out, in, "RETR greeting.txt");
            fetch(out, in, "RETR missing.txt");
            say(out, in, "DELE greeting.txt");
            say(out, in, "QUIT");
        }
    }

    private static String say(PrintWriter out, BufferedReader in, String request) throws IOException {
        out.print(request + "\r\n");
        out.flush();
        String answer = in.readLine();
        System.out.println(request + ": " + answer);
        return answer;
    }

    /** A transfer over a passive data connection, whose address is six numbers in the answer to PASV. */
    private static void fetch(PrintWriter out, BufferedReader in, String request) throws IOException {
        String answer = say(out, in, "PASV");
        String[] numbers = answer.substring(answer.indexOf('(') + 1, answer.indexOf(')')).split(",");
        int port = Integer.parseInt(numbers[4]) * 256 + Integer.parseInt(numbers[5]);
        try (Socket data = new Socket("localhost", port)) {
            if (say(out, in, request).startsWith("150")) {
                System.out.println(new String(data.getInputStream().readAllBytes(), StandardCharsets.UTF_8).length());
                System.out.println(in.readLine());
            }
        }
    }
}
