package jdk.internal.vm.annotation;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Signature of the JDK's annotation, for compiling only: leaves the method out of stack traces. */
@Retention(RetentionPolicy.RUNTIME)
public @interface Hidden {}
