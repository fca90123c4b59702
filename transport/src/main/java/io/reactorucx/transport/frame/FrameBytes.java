package io.reactorucx.transport.frame;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Numbers in the bytes of a frame, big-endian, at any offset, and copies of bytes. Thread: any. */
public final class FrameBytes {

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);

    /** Moves bytes. */
    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final int MAX_WORDS_BYTES = 2 * Long.BYTES;

    private FrameBytes() {
    }

    /** Copies as {@link System#arraycopy} does, which is a call where the compiler does not know the length. */
    public static void copy(byte[] from, int fromAt, byte[] to, int toAt, int length) {
        if (length >= Long.BYTES && length <= MAX_WORDS_BYTES) {
            long last = (long) WORD.get(from, fromAt + length - Long.BYTES);
            WORD.set(to, toAt, (long) WORD.get(from, fromAt));
            WORD.set(to, toAt + length - Long.BYTES, last);
        } else {
            System.arraycopy(from, fromAt, to, toAt, length);
        }
    }

    /** Returns a copy of some bytes. */
    public static byte[] copyOf(byte[] from, int at, int length) {
        byte[] copy = new byte[length];
        copy(from, at, copy, 0, length);
        return copy;
    }

    public static int getInt(byte[] bytes, int at) {
        return (int) INT.get(bytes, at);
    }

    public static void putInt(byte[] bytes, int at, int value) {
        INT.set(bytes, at, value);
    }

    public static long getLong(byte[] bytes, int at) {
        return (long) LONG.get(bytes, at);
    }

    public static void putLong(byte[] bytes, int at, long value) {
        LONG.set(bytes, at, value);
    }

    public static short getShort(byte[] bytes, int at) {
        return (short) SHORT.get(bytes, at);
    }

    public static void putShort(byte[] bytes, int at, short value) {
        SHORT.set(bytes, at, value);
    }
}
