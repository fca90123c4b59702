package io.reactorucx.spring.boot.rsocket;

import io.reactorucx.spring.boot.UcxProperties;
import io.rsocket.frame.FrameLengthCodec;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** Sizes of RSocket's frames: each is a message of a connection, which has a limit of its own. */
final class FrameLength {

    private static final int MIN = 64;

    private FrameLength() {
    }

    /** Returns the largest frame that RSocket may send. A larger message would end the connection. */
    static int max(UcxProperties properties) {
        return Math.clamp(properties.connection().maxMessageSize().toBytes(), MIN, FrameLengthCodec.FRAME_LENGTH_MASK);
    }

    /** RSocket itself refuses a size that is too large when the server starts, and names no property. */
    static void checkFragment(@Nullable DataSize size, UcxProperties properties) {
        long bytes = size == null ? 0 : size.toBytes();
        if (bytes != 0 && (bytes < MIN || bytes > max(properties))) {
            throw new IllegalArgumentException("must be 0 or in " + MIN + ".." + max(properties)
                    + " bytes, which is the largest frame");
        }
    }
}
