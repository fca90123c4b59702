package io.reactorucx.examples.soak.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ByteProcessor;
import java.util.random.RandomGenerator;
import reactor.core.publisher.Flux;

/** Bytes of a stream that follow from a number. Checks what has come of them, in order. Thread: one at a time. */
final class Content implements ByteProcessor {

    private static final long GOLDEN = 0x9E3779B97F4A7C15L;
    private static final int MAX_PART_BYTES = 32 << 10;

    private final long number;
    private long offset;

    /** Creates the content that is expected, from the first byte on. */
    Content(long number) {
        this.number = number;
    }

    private static byte byteAt(long number, long offset) {
        return (byte) ((number + (offset >>> 3)) * GOLDEN >>> ((~offset & 7) << 3));
    }

    /** Returns the bytes from an offset on. */
    static ByteBuf part(ByteBufAllocator allocator, long number, long offset, int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = byteAt(number, offset + i);
        }
        return allocator.buffer(length).writeBytes(bytes);
    }

    /** Returns the first bytes, in parts of random sizes that are made when they are wanted. */
    static Flux<ByteBuf> of(long number, long length, RandomGenerator sizes) {
        return Flux.generate(() -> 0L, (start, sink) -> {
            int part = (int) Math.min(length - start, 1 + sizes.nextInt(MAX_PART_BYTES));
            if (part == 0) {
                sink.complete();
            } else {
                sink.next(part(ByteBufAllocator.DEFAULT, number, start, part));
            }
            return start + part;
        });
    }

    @Override
    public boolean process(byte value) {
        boolean right = value == byteAt(number, offset);
        if (right) {
            offset++;
        }
        return right;
    }

    /** Checks the next bytes. */
    void next(ByteBuf data) {
        if (data.forEachByte(this) >= 0) {
            throw new WrongContentException("a wrong byte at " + offset);
        }
    }

    /** Checks the next bytes, releases them, and returns how many they were. */
    int take(ByteBuf data) {
        try {
            next(data);
            return data.readableBytes();
        } finally {
            data.release();
        }
    }

    /** Checks that as many bytes have come. */
    void end(long length) {
        if (offset != length) {
            throw new WrongContentException(offset + " bytes instead of " + length);
        }
    }

    /** Other bytes than were sent, or more or fewer of them. */
    static final class WrongContentException extends RuntimeException {

        private static final long serialVersionUID = 1;

        WrongContentException(String message) {
            super(message);
        }
    }
}
