package io.reactorucx.core;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An active message that has arrived: its header, and its data or an offer of it.
 *
 * <p>Small data is <em>inline</em>: copied, on the Java heap, nothing to release. Other data is <em>held</em> by UCX, a rendezvous offer or
 * a large eager message: exactly one of {@link UcpWorker#fetch} and {@link UcpWorker#release} ends it.
 *
 * <p><b>Threading:</b> reading is safe from any thread. <b>Ownership:</b> as above. <b>Errors:</b> {@link #payload()} and
 * {@link #toByteArray()} of held data throw {@link IllegalStateException}.
 */
public final class UcpActiveMessage {

    private final int id;
    /** Header and inline data; null when these are in the word. */
    private final byte @Nullable [] bytes;
    private final int headerLength;
    private final long length;
    /**
     * Descriptor of held data. Without bytes it is inline data of up to 8 bytes itself, the first one lowest: messages as small as that come
     * in great numbers, and an array for each would be a third of what they allocate.
     */
    private final long word;
    private final boolean rendezvous;
    /** The endpoint that leads back, or the handle of one that UCX has made for itself. */
    private final @Nullable Object replyTo;

    UcpActiveMessage(int id, byte[] bytes, int headerLength, long length, long descriptor, boolean rendezvous, @Nullable Object replyTo) {
        this.id = id;
        this.bytes = bytes;
        this.headerLength = headerLength;
        this.length = length;
        this.word = descriptor;
        this.rendezvous = rendezvous;
        this.replyTo = replyTo;
    }

    /** One without a header, and with at most 8 bytes of data. */
    UcpActiveMessage(int id, long data, int length, @Nullable Object replyTo) {
        this.id = id;
        this.bytes = null;
        this.headerLength = 0;
        this.length = length;
        this.word = data;
        this.rendezvous = false;
        this.replyTo = replyTo;
    }

    /** {@return id of the active message} */
    public int id() {
        return id;
    }

    /** {@return the header, on the Java heap} */
    public MemorySegment header() {
        return MemorySegment.ofArray(bytes()).asSlice(0, headerLength).asReadOnly();
    }

    /** {@return size of the data in bytes} */
    public long length() {
        return length;
    }

    /** {@return whether the data is here already, and nothing has to be released} */
    public boolean isInline() {
        return data() == 0;
    }

    /** {@return whether the data is still with the sender} */
    public boolean isRendezvous() {
        return rendezvous;
    }

    /** {@return the data of an inline message, on the Java heap} */
    public MemorySegment payload() {
        checkInline();
        return MemorySegment.ofArray(bytes()).asSlice(headerLength).asReadOnly();
    }

    /** {@return a copy of the data of an inline message} */
    public byte[] toByteArray() {
        checkInline();
        byte[] all = bytes();
        return Arrays.copyOfRange(all, headerLength, all.length);
    }

    private byte[] bytes() {
        byte[] all = bytes;
        if (all == null) {
            all = new byte[(int) length];
            for (int i = 0; i < all.length; i++) {
                all[i] = (byte) (word >>> (i << 3));
            }
        }
        return all;
    }

    /**
     * As {@link #toByteArray()}, without a copy where there is no header: for one that is alone with the message, and does not look at it
     * again.
     *
     * @return the data, which is the caller's
     */
    public byte[] takeBytes() {
        checkInline();
        return headerLength == 0 ? bytes() : toByteArray();
    }

    private void checkInline() {
        if (data() != 0) {
            throw new IllegalStateException("active message " + id + ": its " + length + " bytes are held by UCX, fetch or release them");
        }
    }

    /** {@return the endpoint that leads back to the sender; null when the sender did not ask for replies or it is closed here} */
    public @Nullable UcpEndpoint replyEndpoint() {
        return replyTo instanceof UcpEndpoint endpoint ? endpoint : null;
    }

    /**
     * Whether an endpoint is the way back to the sender, also one that was made after this message had come: UCX makes an endpoint for itself
     * when a peer connects by worker address, and hands it out when this side connects back.
     *
     * @param endpoint an endpoint of the worker that got this message
     * @return whether what is sent over it reaches the endpoint that sent this message
     */
    public boolean isAnsweredBy(UcpEndpoint endpoint) {
        long replyHandle = replyTo instanceof UcpEndpoint known ? known.handle().address() : replyTo instanceof Long handle ? handle : 0;
        return replyHandle != 0 && !endpoint.isClosed() && endpoint.handle().address() == replyHandle;
    }

    /** Descriptor of held data, 0 when inline. */
    long data() {
        return bytes == null ? 0 : word;
    }
}
