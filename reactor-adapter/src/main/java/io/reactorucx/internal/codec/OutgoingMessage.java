package io.reactorucx.internal.codec;

import io.reactorucx.codec.MessageEncoder;
import io.reactorucx.internal.concurrent.ApplicationErrors;
import io.reactorucx.transport.command.ApplicationException;
import io.reactorucx.transport.command.LimitedLog;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.slf4j.LoggerFactory;

/**
 * A value that is encoded when it is its turn: into a batch, or into registered memory. Until then it waits in the
 * application's memory alone. What the encoder throws comes as an {@link ApplicationException}.
 *
 * <p>Thread: engine, {@link #length} and {@link #release} aside, which are called on any.
 */
public final class OutgoingMessage {

    private static final LimitedLog FAILURES = new LimitedLog(LoggerFactory.getLogger(OutgoingMessage.class));

    private final MessageEncoder<Object> encoder;
    private final Object value;
    private int length = -1;

    private OutgoingMessage(MessageEncoder<Object> encoder, Object value) {
        this.encoder = encoder;
        this.value = value;
    }

    /** Creates the message of a value. */
    @SuppressWarnings("unchecked") // Only this value is given to the encoder.
    public static <T> OutgoingMessage of(MessageEncoder<? super T> encoder, T value) {
        return new OutgoingMessage((MessageEncoder<Object>) encoder, Objects.requireNonNull(value, "value"));
    }

    /** Returns the number of bytes. The encoder is asked once, by the first call. */
    public int length() {
        if (length < 0) {
            length = measured();
        }
        return length;
    }

    private int measured() {
        int bytes;
        try {
            bytes = encoder.length(value);
        } catch (Throwable t) {
            throw thrown(t);
        }
        if (bytes < 0) {
            throw new IllegalArgumentException(name() + ": length " + bytes);
        }
        return bytes;
    }

    /** Writes all bytes into a part of an array. */
    public void copyTo(byte[] target, int offset) {
        int written;
        try {
            written = encoder.encode(value, target, offset, length);
        } catch (Throwable t) {
            throw thrown(t);
        }
        requireAll(written);
    }

    /** Writes all bytes, as many as the target has. */
    public void copyTo(ByteBuffer target) {
        try {
            encoder.encode(value, target);
        } catch (Throwable t) {
            throw thrown(t);
        }
        requireAll(target.position());
    }

    private void requireAll(int written) {
        if (written != length) {
            throw new IllegalStateException(name() + ": wrote " + written + " bytes of a message, and said "
                    + length);
        }
    }

    /** Gives the value back, once: it was encoded, or will not be sent. */
    public void release() {
        try {
            encoder.release(value);
        } catch (Throwable t) {
            ApplicationErrors.rethrowIfOutOfMemory(t);
            FAILURES.warn(name() + ": release threw", ApplicationErrors.printable(t));
        }
    }

    private String name() {
        return "encoder " + encoder.getClass().getName();
    }

    private static ApplicationException thrown(Throwable t) {
        ApplicationErrors.rethrowIfOutOfMemory(t);
        return new ApplicationException(t);
    }
}
