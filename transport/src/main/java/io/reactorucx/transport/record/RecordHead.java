package io.reactorucx.transport.record;

import java.nio.ByteBuffer;

/**
 * The head of a record, 8 bytes in network byte order: one bit that changes with each key, and the record's number in
 * 63 bits. It travels in the clear, and the tag covers it.
 */
final class RecordHead {

    static final int BYTES = Long.BYTES;
    static final long MAX_NUMBER = Long.MAX_VALUE;

    private static final long PHASE = Long.MIN_VALUE;

    private RecordHead() {
    }

    static void put(byte[] record, int offset, boolean phase, long number) {
        ByteBuffer.wrap(record).putLong(offset, phase ? number | PHASE : number);
    }

    static boolean phase(byte[] record, int offset) {
        return (head(record, offset) & PHASE) != 0;
    }

    static long number(byte[] record, int offset) {
        return head(record, offset) & ~PHASE;
    }

    private static long head(byte[] record, int offset) {
        return ByteBuffer.wrap(record).getLong(offset);
    }
}
