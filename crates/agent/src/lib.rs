//! The JVMTI library inside the tested JVM.
