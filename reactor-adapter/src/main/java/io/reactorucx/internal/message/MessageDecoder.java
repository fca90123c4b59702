package io.reactorucx.internal.message;

import io.reactorucx.buffer.UcxBuffer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** What a subscriber gets for a message. On the engine's thread; leases that are left over are released here. */
public interface MessageDecoder<T> {

    MessageDecoder<UcxBuffer> BUFFERS = new MessageDecoder<>() {
        @Override
        public UcxBuffer decode(InboundBatch batch, int offset, int length) {
            return batch.lease(offset, length);
        }

        @Override
        public @Nullable UcxBuffer decode(byte[] message, StreamBuffers memory) {
            UcxBuffer lease = memory.tryLease(message.length);
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
        public byte[] decode(byte[] message, StreamBuffers memory) {
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
        public String decode(byte[] message, StreamBuffers memory) {
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

    /** A message that lies in the batch that has just arrived. */
    T decode(InboundBatch batch, int offset, int length);

    /** A message that has waited; the array is the subscriber's. Null when there is no memory for it. */
    @Nullable T decode(byte[] message, StreamBuffers memory);

    /** A message that has been fetched into a lease, which is the decoder's. */
    T decode(UcxBuffer message);
}
