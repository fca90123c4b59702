package io.reactorucx.internal.message;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.lease.LeasePool;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Turns messages into what a subscriber gets, and releases leases that it does not get.
 *
 * <p>Thread: engine.
 */
public interface MessageDecoder<T> {

    MessageDecoder<UcxBuffer> BUFFERS = new MessageDecoder<>() {
        @Override
        public UcxBuffer decode(InboundBatch batch, int offset, int length) {
            return batch.lease(offset, length);
        }

        @Override
        public @Nullable UcxBuffer decode(byte[] message, StreamBuffers buffers) {
            UcxBuffer lease = buffers.tryLease(message.length);
            if (lease != null) {
                MemorySegment.copy(message, 0, lease.segment(), ValueLayout.JAVA_BYTE, 0, message.length);
            }
            return lease;
        }

        @Override
        public UcxBuffer decode(UcxBuffer message) {
            return message;
        }
    };

    MessageDecoder<byte[]> BYTES = new MessageDecoder<>() {
        @Override
        public byte[] decode(InboundBatch batch, int offset, int length) {
            return batch.copy(offset, length);
        }

        @Override
        public byte[] decode(byte[] message, StreamBuffers buffers) {
            return message;
        }

        @Override
        public byte[] decode(UcxBuffer message) {
            try {
                return message.segment().toArray(ValueLayout.JAVA_BYTE);
            } finally {
                message.release();
            }
        }
    };

    MessageDecoder<String> STRINGS = new MessageDecoder<>() {
        @Override
        public String decode(InboundBatch batch, int offset, int length) {
            return decode(batch.copy(offset, length));
        }

        @Override
        public String decode(byte[] message, StreamBuffers buffers) {
            return decode(message);
        }

        @Override
        public String decode(UcxBuffer message) {
            return decode(BYTES.decode(message));
        }

        private String decode(byte[] message) {
            return new String(message, StandardCharsets.UTF_8);
        }
    };

    /** Decodes a message of the batch that has just arrived. */
    T decode(InboundBatch batch, int offset, int length);

    /** Decodes a message that has waited; the array is the subscriber's. Returns null if there is no memory for it. */
    @Nullable T decode(byte[] message, StreamBuffers buffers);

    /** Decodes a message that was fetched into a lease, which is the decoder's. */
    T decode(UcxBuffer message);

    /**
     * The batch whose frames are being applied. Messages that are delivered as leases share one block of the pool.
     *
     * <p>Thread: engine.
     */
    final class InboundBatch {

        private static final byte[] EMPTY = new byte[0];

        private final LeasePool pool;
        /** Begins with the batch; whoever keeps a message has to copy it. */
        private byte[] bytes = EMPTY;
        private int size;
        private @Nullable UcxBuffer shared;

        InboundBatch(LeasePool pool) {
            this.pool = pool;
        }

        void begin(byte[] batch, int byteSize) {
            bytes = batch;
            size = byteSize;
        }

        void end() {
            bytes = EMPTY;
            UcxBuffer whole = shared;
            if (whole != null) {
                shared = null;
                whole.release();
            }
        }

        UcxBuffer lease(int offset, int length) {
            UcxBuffer whole = shared;
            if (whole == null) {
                // Who gets the messages is known, and not where this thread comes from.
                whole = pool.acquire(size, null);
                MemorySegment.copy(bytes, 0, whole.segment(), ValueLayout.JAVA_BYTE, 0, size);
                shared = whole;
            }
            return whole.slice(offset, length);
        }

        /** Returns the batch, which is not to be kept; it may be shorter than the array. */
        public byte[] bytes() {
            return bytes;
        }

        /** Returns a copy of a message, which may be kept. */
        public byte[] copy(int offset, int length) {
            byte[] copy = new byte[length];
            MessageFrameCodec.copy(bytes, offset, copy, 0, length);
            return copy;
        }
    }
}
