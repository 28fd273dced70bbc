package jdk.internal.vm.annotation;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/**
 * Signature of the JDK's annotation, for compiling only: a stack overflow inside the method is thrown when the method
 * has done its work, which may use some reserved stack.
 */
@Retention(RetentionPolicy.RUNTIME)
public @interface ReservedStackAccess {}
