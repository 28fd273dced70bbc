package jdk.internal.vm.annotation;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Signature of the JDK's annotation, for compiling only: the JIT compiler always inlines the method. */
@Retention(RetentionPolicy.RUNTIME)
public @interface ForceInline {}
