package io.reactorucx.internal.message;

import io.reactorucx.internal.frame.MessageFrameCodec;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** How one side ends what it sends on a stream: well, or with an error. */
record StreamTermination(int code, @Nullable String text) {

    static final StreamTermination COMPLETE = new StreamTermination(0, null);

    int textBytes() {
        return text == null ? 0 : Math.min(text.getBytes(StandardCharsets.UTF_8).length,
                MessageFrameCodec.MAX_TEXT_BYTES);
    }

    void write(MessageBatch batch, int stream) {
        if (text == null) {
            batch.signal(MessageFrameCodec.COMPLETE, stream);
        } else {
            batch.error(stream, code, text);
        }
    }
}
