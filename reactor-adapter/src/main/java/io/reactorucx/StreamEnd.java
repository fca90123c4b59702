package io.reactorucx;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** How one side ends what it sends on a stream: well, or with an error. */
record StreamEnd(int code, @Nullable String text) {

    static final StreamEnd COMPLETE = new StreamEnd(0, null);

    int textBytes() {
        return text == null ? 0 : Math.min(text.getBytes(StandardCharsets.UTF_8).length, MessageFrames.MAX_TEXT_BYTES);
    }

    void write(MessageBatch batch, int stream) {
        if (text == null) {
            batch.signal(MessageFrames.COMPLETE, stream);
        } else {
            batch.error(stream, code, text);
        }
    }
}
