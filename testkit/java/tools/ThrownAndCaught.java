import com.sun.jdi.Bootstrap;
import com.sun.jdi.Location;
import com.sun.jdi.StackFrame;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.ExceptionEvent;
import com.sun.jdi.event.VMDeathEvent;
import com.sun.jdi.event.VMDisconnectEvent;
import com.sun.jdi.request.ExceptionRequest;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Map;

/**
 * Runs a program and prints, for every exception that a class outside the JDK catches, where it was thrown and where it
 * is caught: class, method and line of both.
 */
public final class ThrownAndCaught {
    public static void main(String[] args) throws Exception {
        LaunchingConnector connector = Bootstrap.virtualMachineManager().defaultConnector();
        Map<String, Connector.Argument> arguments = connector.defaultArguments();
        arguments.get("options").setValue("-cp " + args[0]);
        arguments.get("main").setValue(args[1]);
        VirtualMachine machine = connector.launch(arguments);
        drain(machine.process().getInputStream());
        drain(machine.process().getErrorStream());
        ExceptionRequest request = machine.eventRequestManager().createExceptionRequest(null, true, true);
        request.enable();
        EventSet events = machine.eventQueue().remove();
        while (handle(events)) {
            events.resume();
            events = machine.eventQueue().remove();
        }
    }

    /** Whether the program is still there. */
    private static boolean handle(EventSet events) throws Exception {
        for (Event event : events) {
            if (event instanceof VMDeathEvent || event instanceof VMDisconnectEvent) {
                return false;
            }
            if (event instanceof ExceptionEvent) {
                print((ExceptionEvent) event);
            }
        }
        return true;
    }

    private static void print(ExceptionEvent event) throws Exception {
        Location caught = event.catchLocation();
        if (caught != null && caught.declaringType().classLoader() != null && isReached(event.thread(), caught)) {
            System.out.println("thrown " + text(event.location()) + " " + text(caught));
        }
    }

    /** The place of the catch is foretold from the stack; but what leaves a class initialiser becomes something else. */
    private static boolean isReached(ThreadReference thread, Location caught) throws Exception {
        for (StackFrame frame : thread.frames()) {
            if (frame.location().method().equals(caught.method())) {
                return true;
            }
            if (frame.location().method().isStaticInitializer()) {
                return false;
            }
        }
        return false;
    }

    private static String text(Location location) {
        return location.declaringType().name() + " " + location.method().name() + " " + location.lineNumber();
    }

    /** A program whose output nobody reads stops when the pipe is full. */
    private static void drain(InputStream stream) {
        Thread thread = new Thread(() -> {
            try {
                stream.transferTo(OutputStream.nullOutputStream());
            } catch (java.io.IOException e) {
                return;
            }
        });
        thread.setDaemon(true);
        thread.start();
    }
}
