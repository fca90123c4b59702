package io.reactorucx.internal.codec;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.codec.EncodedMessage;
import io.reactorucx.codec.MessageDecoder;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.internal.concurrent.ApplicationErrors;
import io.reactorucx.transport.frame.FrameBytes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A message that is shown to a decoder: in a batch that has just arrived, in an array in which it has waited, or in the
 * lease into which it was fetched. One object shows one message after the other.
 *
 * <p>Thread: engine.
 */
public final class InboundMessage implements EncodedMessage {

    /** The batch of the message, unless it has waited or was fetched. Stays, as the thread does: most have the same. */
    private @Nullable InboundBatch batch;
    private int offset;
    private int length;
    /** A message that has waited, and where its leases come from. */
    private byte @Nullable [] waited;
    private @Nullable Memory memory;
    /** A message that was fetched. */
    private @Nullable UcxBuffer fetched;
    /** The decoder has the array or the lease. */
    private boolean taken;
    private boolean decoding;
    /** That of the decoder. */
    private @Nullable Thread thread;
    private @Nullable RuntimeException refusal;
    private boolean waiting;
    private @Nullable Throwable failure;

    /** Gives leases, as far as there is memory. */
    public interface Memory {

        /** Returns a lease, or null when there is no memory: the message is decoded again when there is. */
        @Nullable UcxBuffer tryLease(long bytes);
    }

    /** Shows a message of the batch that has just arrived. */
    public InboundMessage of(InboundBatch from, int at, int size) {
        if (batch != from) {
            batch = from;
        }
        offset = at;
        length = size;
        return this;
    }

    /** Shows a message that has waited, whose array is the decoder's. */
    public InboundMessage of(byte[] message, Memory leases) {
        waited = message;
        offset = 0;
        length = message.length;
        memory = leases;
        return this;
    }

    /** Shows a message that was fetched into a lease, which is released after the call unless the decoder takes it. */
    public InboundMessage of(UcxBuffer message) {
        fetched = message;
        return this;
    }

    /** Decodes the message. Returns null if that has failed, as {@link #refusal} and {@link #failure} tell. */
    public <T> @Nullable T decode(MessageDecoder<? extends T> decoder) {
        begin();
        try {
            T value = decoder.decode(this);
            if (value == null) {
                throw new NullPointerException("decoder " + decoder.getClass().getName() + ": returned null");
            }
            return value;
        } catch (Throwable t) {
            ApplicationErrors.rethrowIfOutOfMemory(t);
            failure = t;
            return null;
        } finally {
            end();
        }
    }

    /** Writes references only where they change, for each message that comes: the collector follows such writes. */
    private void begin() {
        decoding = true;
        if (thread != Thread.currentThread()) {
            thread = Thread.currentThread();
        }
        if (refusal != null) {
            refusal = null;
            waiting = false;
        }
    }

    private void end() {
        decoding = false;
        if (waited != null) {
            waited = null;
            memory = null;
        }
        UcxBuffer lease = fetched;
        if (lease != null) {
            fetched = null;
            if (!taken) {
                lease.release();
            }
        }
        taken = false;
    }

    private byte[] bytes() {
        return waited != null ? waited : Objects.requireNonNull(batch).bytes();
    }

    /** Returns what the pool has thrown when the decoder asked for a lease; null if it did not. */
    public @Nullable RuntimeException refusal() {
        return refusal;
    }

    /** Returns whether the memory will tell when there is some. */
    public boolean isWaiting() {
        return waiting;
    }

    /** Returns why decoding has failed, for a signal. */
    public Throwable failure() {
        return ApplicationErrors.signal(Objects.requireNonNull(failure));
    }

    private void requireCall() {
        if (!decoding || thread != Thread.currentThread()) {
            throw new IllegalStateException("the message: is only there for the call of its decoder, on its thread");
        }
    }

    @Override
    public long length() {
        requireCall();
        return fetched == null ? length : fetched.length();
    }

    @Override
    public ByteBuffer byteBuffer() {
        requireCall();
        return fetched == null ? ByteBuffer.wrap(bytes(), offset, length).slice() : fetched.byteBuffer();
    }

    @Override
    public byte[] toByteArray() {
        requireCall();
        if (fetched != null) {
            return fetched.toByteArray();
        }
        byte[] whole = waited;
        if (whole == null) {
            return FrameBytes.copyOf(bytes(), offset, length);
        }
        if (taken) {
            return whole.clone();
        }
        taken = true;
        return whole;
    }

    @Override
    public String toString(Charset charset) {
        requireCall();
        Objects.requireNonNull(charset, "charset");
        return fetched == null ? new String(bytes(), offset, length, charset) : fetched.toString(charset);
    }

    @Override
    public boolean isLeased() {
        requireCall();
        return fetched != null;
    }

    @Override
    public UcxBuffer lease() {
        requireCall();
        if (fetched == null) {
            return copied();
        }
        if (taken) {
            return fetched.retain();
        }
        taken = true;
        return fetched;
    }

    private UcxBuffer copied() {
        try {
            byte[] whole = waited;
            UcxBuffer lease = whole == null ? Objects.requireNonNull(batch).lease(offset, length)
                    : Objects.requireNonNull(memory).tryLease(length);
            if (lease == null) {
                waiting = true;
                throw new UcxException(UcxStatus.EXCEEDS_LIMIT, "acquire of " + length + " bytes", null,
                        "the pool has no memory for a message");
            }
            if (whole != null) {
                MemorySegment.copy(whole, 0, lease.segment(), ValueLayout.JAVA_BYTE, 0, length);
            }
            return lease;
        } catch (RuntimeException e) {
            refusal = e;
            throw e;
        }
    }
}
