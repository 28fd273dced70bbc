package jdk.internal.misc;

/** Signatures of the JDK's class, for compiling only. */
public final class Unsafe {
    private Unsafe() {}

    public static native Unsafe getUnsafe();

    public native long objectFieldOffset(Class<?> type, String field);

    public native long getLong(Object object, long offset);

    public native byte getByte(long address);

    public native long getLong(long address);

    public native void putLong(long address, long value);

    public native boolean compareAndSetLong(Object object, long offset, long expected, long value);

    public native long getAndAddLong(Object object, long offset, long delta);
}
