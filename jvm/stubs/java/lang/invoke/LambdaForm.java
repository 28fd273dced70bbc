package java.lang.invoke;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Signature of the JDK's class, for compiling only. */
public class LambdaForm {
    /** Leaves the method out of stack traces, up to JDK 14. */
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Hidden {}
}
