package io.reactorucx.internal.message.receive;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.internal.message.batch.InboundBatch;
import io.reactorucx.internal.message.context.StreamBuffers;
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
}
