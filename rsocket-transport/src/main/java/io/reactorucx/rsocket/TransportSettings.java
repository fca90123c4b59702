package io.reactorucx.rsocket;

import io.netty.buffer.ByteBufAllocator;
import java.util.Objects;

/**
 * The settings that client and server transports share.
 *
 * @param maxFrameLength RSocket sends no larger frame
 * @param maxQueuedBytes bytes of frames that may wait on a connection
 * @param allocator where RSocket takes the memory of frames
 */
record TransportSettings(int maxFrameLength, long maxQueuedBytes, ByteBufAllocator allocator) {

    /** RSocket refuses a smaller one. */
    private static final int MIN_FRAME_LENGTH = 64;
    /** The length of a frame has 24 bits wherever RSocket writes it. */
    private static final int MAX_FRAME_LENGTH = (1 << 24) - 1;
    private static final long DEFAULT_QUEUED_BYTES = 64L << 20;

    static final TransportSettings DEFAULT = new TransportSettings(MAX_FRAME_LENGTH, DEFAULT_QUEUED_BYTES,
            ByteBufAllocator.DEFAULT);

    TransportSettings {
        if (maxFrameLength < MIN_FRAME_LENGTH || maxFrameLength > MAX_FRAME_LENGTH) {
            throw new IllegalArgumentException("maxFrameLength " + maxFrameLength + ": must be in " + MIN_FRAME_LENGTH
                    + ".." + MAX_FRAME_LENGTH);
        }
        if (maxQueuedBytes < 1) {
            throw new IllegalArgumentException("maxQueuedBytes " + maxQueuedBytes + ": must be at least 1");
        }
        Objects.requireNonNull(allocator, "allocator");
    }

    TransportSettings withMaxFrameLength(int value) {
        return new TransportSettings(value, maxQueuedBytes, allocator);
    }

    TransportSettings withMaxQueuedBytes(long value) {
        return new TransportSettings(maxFrameLength, value, allocator);
    }

    TransportSettings withAllocator(ByteBufAllocator value) {
        return new TransportSettings(maxFrameLength, maxQueuedBytes, value);
    }
}
