package io.reactorucx.core;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An active message that has arrived: its header, and its data or an offer of it.
 *
 * <p>Small data is <em>inline</em>: copied, on the Java heap, nothing to release. Other data is <em>held</em> by UCX, a
 * rendezvous offer or a large eager message: exactly one of {@link UcpActiveMessages#fetch} and
 * {@link UcpActiveMessages#release} has to be called for it.
 *
 * <p>An inline message belongs to the handler until it returns: the worker then fills the same object with another
 * message. {@link #keep()} returns a copy that stays valid, as do the segments and arrays of the other methods.
 *
 * <p><b>Threading:</b> the worker's thread, while it is the handler's; any thread, once it is kept. <b>Ownership:</b>
 * as above. <b>Errors:</b> {@link #payload()} and {@link #toByteArray()} of held data, and of a message that was not
 * kept, throw {@link IllegalStateException}; the latter is not detected once the object has another message.
 */
public final class UcpActiveMessage {

    private static final int OVER = -1;
    /** The descriptor of data that UCX does not hold. */
    private static final long ELSEWHERE = -1;
    /** Header and data of up to so many bytes are copied into an array that the object has for all its messages. */
    private static final int MAX_REUSED_BYTES = 256;
    private static final VarHandle BIG_ENDIAN = MethodHandles.byteArrayViewVarHandle(long[].class,
            ByteOrder.BIG_ENDIAN);
    private static final VarHandle LITTLE_ENDIAN = MethodHandles.byteArrayViewVarHandle(long[].class,
            ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle BIG_ENDIAN_INT = MethodHandles.byteArrayViewVarHandle(int[].class,
            ByteOrder.BIG_ENDIAN);
    private static final VarHandle BIG_ENDIAN_SHORT = MethodHandles.byteArrayViewVarHandle(short[].class,
            ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong FIRST = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private int id;
    /** Header and inline data; null when these are in the word. */
    private byte @Nullable [] bytes;
    /** The array for small messages, made for the first of them; stays with this object. */
    private byte @Nullable [] scratch;
    private int headerLength;
    private long length;
    /**
     * Descriptor of held data. Without bytes it is inline data of up to 8 bytes itself, the first one lowest: messages
     * as small as that come in great numbers, and an array would be all that they allocate.
     */
    private long word;
    private final boolean rendezvous;
    private final boolean reused;
    /** Where data is that UCX does not hold, but this process can read. */
    private final @Nullable OfferedData offered;
    /** The endpoint that leads back, or the handle of one that UCX has made for itself. */
    private @Nullable Object replyTo;

    /** One whose data UCX holds, with its header. */
    UcpActiveMessage(int id, byte[] header, long length, long descriptor, boolean rendezvous,
            @Nullable Object replyTo) {
        this.id = id;
        this.bytes = header;
        this.headerLength = header.length;
        this.length = length;
        this.word = descriptor;
        this.rendezvous = rendezvous;
        this.reused = false;
        this.offered = null;
        this.replyTo = replyTo;
    }

    /** One whose data is where the carrier says, which brought its header. */
    UcpActiveMessage(UcpActiveMessage carrier, int id, byte[] header, long length, OfferedData offered) {
        this.id = id;
        this.bytes = header;
        this.headerLength = header.length;
        this.length = length;
        this.word = ELSEWHERE;
        this.rendezvous = offered.isLocal() || carrier.rendezvous;
        this.reused = false;
        this.offered = offered;
        this.replyTo = carrier.replyTo;
    }

    /** One whose data has arrived, at a place that its handler has found. */
    UcpActiveMessage(int id, byte[] header, long length, PlacedData place, @Nullable Object replyTo) {
        this.id = id;
        this.bytes = header;
        this.headerLength = header.length;
        this.length = length;
        this.word = ELSEWHERE;
        this.rendezvous = false;
        this.reused = false;
        this.offered = place;
        this.replyTo = replyTo;
    }

    /** Returns an array for header and data, which begin at 0: that of this object, if it is large enough. */
    byte[] arrayFor(int itsLength) {
        if (itsLength > MAX_REUSED_BYTES) {
            return new byte[itsLength];
        }
        byte[] made = scratch;
        if (made == null) {
            made = new byte[MAX_REUSED_BYTES];
            scratch = made;
        }
        return made;
    }

    /** One that has no message yet, and will have many. */
    UcpActiveMessage() {
        this.rendezvous = false;
        this.reused = true;
        this.offered = null;
        over();
    }

    /** The same inline message, which stays. */
    private UcpActiveMessage(UcpActiveMessage other) {
        this.id = other.id;
        this.bytes = other.isWord() ? null : other.bytes();
        this.headerLength = other.headerLength;
        this.length = other.length;
        this.word = other.word;
        this.rendezvous = false;
        this.reused = false;
        this.offered = null;
        this.replyTo = other.replyTo;
    }

    /** Is an inline message from now on. */
    void become(int newId, byte[] headerAndData, int itsHeader, int dataLength, @Nullable Object itsReplyTo) {
        become(newId, dataLength, itsReplyTo);
        bytes = headerAndData;
        headerLength = itsHeader;
    }

    /** Is one without a header from now on, and with at most 8 bytes of data. */
    void become(int newId, long data, int dataLength, @Nullable Object itsReplyTo) {
        become(newId, dataLength, itsReplyTo);
        word = data;
    }

    private void become(int newId, int dataLength, @Nullable Object itsReplyTo) {
        id = newId;
        length = dataLength;
        replyTo = itsReplyTo;
    }

    /** The handler has returned. */
    void over() {
        id = OVER;
        length = 0;
        bytes = null;
        headerLength = 0;
        word = 0;
        replyTo = null;
    }

    boolean isReused() {
        return reused;
    }

    /** {@return the same message, but one that stays when the handler has returned; shares the data} */
    public UcpActiveMessage keep() {
        checkNotOver();
        return reused ? new UcpActiveMessage(this) : this;
    }

    /** {@return id of the active message} */
    public int id() {
        return id;
    }

    /** {@return the header, on the Java heap} */
    public MemorySegment header() {
        checkNotOver();
        return MemorySegment.ofArray(bytes()).asSlice(0, headerLength).asReadOnly();
    }

    /** {@return size of the header in bytes} */
    public int headerBytes() {
        checkNotOver();
        return headerLength;
    }

    /**
     * Reads a number of the header without a segment.
     *
     * @param offset where its 4 bytes begin, the highest first
     * @return the number
     */
    public int headerInt(int offset) {
        checkNotOver();
        return (int) BIG_ENDIAN_INT.get(array(), Objects.checkFromIndexSize(offset, Integer.BYTES, headerLength));
    }

    /**
     * Reads a number of the header without a segment.
     *
     * @param offset where its 2 bytes begin, the higher first
     * @return the number
     */
    public short headerShort(int offset) {
        checkNotOver();
        return (short) BIG_ENDIAN_SHORT.get(array(), Objects.checkFromIndexSize(offset, Short.BYTES, headerLength));
    }

    /** {@return size of the data in bytes} */
    public long length() {
        return length;
    }

    /** {@return whether {@link #payload()} returns the data, and nothing has to be fetched or released} */
    public boolean isInline() {
        return data() == 0;
    }

    /**
     * {@return whether the data is still with the sender}
     *
     * <p>False does not mean that {@link #payload()} returns the data: UCX also keeps large data that was sent eagerly
     * until it is fetched or released. Ask {@link #isInline()} for that.
     */
    public boolean isRendezvous() {
        return rendezvous;
    }

    /** {@return the data, on the Java heap; {@link IllegalStateException} unless {@link #isInline()}} */
    public MemorySegment payload() {
        checkInline();
        return MemorySegment.ofArray(bytes()).asSlice(headerLength, length).asReadOnly();
    }

    /** {@return a copy of the data of an inline message} */
    public byte[] toByteArray() {
        checkInline();
        return Arrays.copyOfRange(array(), headerLength, headerLength + (int) length);
    }

    /** Returns header and inline data in an array that stays: not the one for all messages. */
    private byte[] bytes() {
        byte[] all = array();
        if (all == scratch) {
            all = Arrays.copyOf(all, headerLength + (int) length);
            bytes = all;
        }
        return all;
    }

    /**
     * Lends the array that has the data of an inline message, for reading: behind the header, {@link #length()} bytes.
     * It may be longer, and gets another message when the handler has returned.
     *
     * @return the array, with the first byte of the data at {@link #headerBytes()}
     */
    public byte[] readInPlace() {
        checkInline();
        return array();
    }

    private byte[] array() {
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
     * As {@link #toByteArray()}, without a copy where there is no header: for one that is alone with the message, and
     * does not look at it again.
     *
     * @return the data, which is the caller's
     */
    public byte[] takeBytes() {
        checkInline();
        return headerLength == 0 ? bytes() : toByteArray();
    }

    /** {@return whether it has no header, and at most 8 bytes of data: {@link #word()}} */
    public boolean isWord() {
        return bytes == null;
    }

    /**
     * {@return the data of a message that {@link #isWord()}, without an array: the first byte lowest, 0 beyond the
     * length}
     */
    public long word() {
        checkNotOver();
        if (!isWord()) {
            throw new IllegalStateException("active message " + id + ": its header of " + headerLength
                    + " bytes and data of " + length + " are more than a word");
        }
        return word;
    }

    /** Whether it begins with 8 bytes; data that UCX holds has to be held still. */
    boolean beginsWith(long expected) {
        byte[] all = bytes;
        if (all == null) {
            return length == Long.BYTES && word == Long.reverseBytes(expected);
        }
        if (headerLength > 0 || isInline()) {
            boolean isLongEnough = (headerLength > 0 ? headerLength : length) >= Long.BYTES;
            return isLongEnough && (long) BIG_ENDIAN.get(all, 0) == expected;
        }
        return !rendezvous && offered == null && length >= Long.BYTES
                && MemorySegment.ofAddress(word).reinterpret(Long.BYTES).get(FIRST, 0) == expected;
    }

    /** {@return inline data of at most 8 bytes, without an array: the first byte lowest, 0 beyond the length} */
    public long dataWord() {
        checkInline();
        byte[] all = bytes;
        if (all == null) {
            return word;
        }
        if (length > Long.BYTES) {
            throw new IllegalStateException("active message " + id + ": its data of " + length
                    + " bytes is more than a word");
        }
        if (length == Long.BYTES) {
            return (long) LITTLE_ENDIAN.get(all, headerLength);
        }
        long data = 0;
        for (int i = 0; i < length; i++) {
            data |= Byte.toUnsignedLong(all[headerLength + i]) << (i << 3);
        }
        return data;
    }

    private void checkNotOver() {
        if (id == OVER) {
            throw new IllegalStateException("active message: its handler has returned, keep() it there");
        }
    }

    private void checkInline() {
        checkNotOver();
        if (data() != 0) {
            throw new IllegalStateException("active message " + id + ": its " + length
                    + " bytes are held by UCX, fetch or release them");
        }
    }

    /**
     * {@return the endpoint that leads back to the sender; null when the sender did not ask for replies or it is closed
     * here}
     */
    public @Nullable UcpEndpoint replyEndpoint() {
        return replyTo instanceof UcpEndpoint endpoint ? endpoint : null;
    }

    /** {@return whether it came over an endpoint that UCX has made because the peer has connected, and no call here} */
    public boolean isFromNewPeer() {
        return replyTo instanceof Long;
    }

    /**
     * Whether an endpoint is the way back to the sender, also one that was made after this message had come: UCX makes
     * an endpoint for itself when a peer connects by worker address, and hands it out when this side connects back.
     *
     * @param endpoint an endpoint of the worker that got this message
     * @return whether what is sent over it reaches the endpoint that sent this message
     */
    public boolean isAnsweredBy(UcpEndpoint endpoint) {
        long replyHandle = replyTo instanceof UcpEndpoint known ? known.handle().address()
                : replyTo instanceof Long handle ? handle : 0;
        return replyHandle != 0 && !endpoint.isClosed() && endpoint.handle().address() == replyHandle;
    }

    /**
     * {@return whether held data is in memory of this process, where {@link UcpActiveMessages#read} shows it; if not,
     * it is with the sender}
     */
    public boolean isLocal() {
        return offered == null ? !rendezvous : offered.isLocal();
    }

    @Nullable OfferedData offered() {
        return offered;
    }

    /** Descriptor of held data, 0 when inline. */
    long data() {
        return bytes == null ? 0 : word;
    }
}
