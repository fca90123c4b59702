package io.reactorucx.internal.message.batch;

import io.reactorucx.internal.frame.MessageFrameCodec;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** How one side ends what it sends on a stream: complete without a text, else with an error. */
public record Termination(int code, @Nullable String text) {

    public static final Termination COMPLETE = new Termination(0, null);
    /** The connection is closed before the stream is complete. */
    public static final Termination INTERRUPTED = new Termination(MessageFrameCodec.CONNECTION_CLOSED, "");

    /** Returns the size of its frame. */
    public int bytes() {
        return MessageFrameCodec.CONTROL_FRAME_BYTES + (text == null ? 0
                : Math.min(text.getBytes(StandardCharsets.UTF_8).length, MessageFrameCodec.MAX_TEXT_BYTES));
    }

    public void write(MessageBatch batch, int stream) {
        if (text == null) {
            batch.signal(MessageFrameCodec.COMPLETE, stream);
        } else {
            batch.error(stream, code, text);
        }
    }
}
