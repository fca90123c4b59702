package io.reactorucx.internal.frame;

import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.shm.SharedPages;
import io.reactorucx.transport.frame.FrameBytes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The messages by which two processes of one host hand over large messages in mapped memory. Each is the header of an
 * active message without data: the receiver's token first (8 bytes; all numbers are big-endian), the type last (1).
 * Nothing in what the peer sends is trusted.
 */
public sealed interface MappedFrame {

    int TOKEN_BYTES = Long.BYTES;
    /** The bytes behind the header of an offered message: id (2), and the fields of an offer (4, 4, 8, 8, 1). */
    int OFFER_BYTES = Short.BYTES + 2 * Integer.BYTES + 2 * Long.BYTES + 1;

    byte SLAB = 1;
    byte SLAB_ANSWER = 2;
    byte SLAB_GONE = 3;
    byte OFFER = 4;
    byte TAKEN = 5;

    /**
     * Memory of the sender that the receiver may map.
     *
     * @param slab its number on this connection
     * @param bytes its size
     * @param descriptor of its file in the sender's process
     * @param word index of the number beside it that changes when the sender gives up what it has offered
     * @param value that number now
     * @param key proves that the file is the one meant
     */
    record Slab(int slab, long bytes, int descriptor, int word, long value, byte[] key) implements MappedFrame {

        private static final int BYTES = 3 * Integer.BYTES + 2 * Long.BYTES + SharedPages.KEY_BYTES;

        public MemorySegment encode(long token) {
            return frame(BYTES, token, SLAB, out -> out.putInt(slab).putLong(bytes).putInt(descriptor).putInt(word)
                    .putLong(value).put(key));
        }
    }

    /**
     * Whether the receiver of a slab has mapped it.
     *
     * @param slab its number
     * @param isMapped whether messages may be offered from it
     */
    record SlabAnswer(int slab, boolean isMapped) implements MappedFrame {

        private static final int BYTES = Integer.BYTES + 1;

        public MemorySegment encode(long token) {
            return frame(BYTES, token, SLAB_ANSWER, out -> out.putInt(slab).put((byte) (isMapped ? 1 : 0)));
        }
    }

    /**
     * The sender has freed a slab.
     *
     * @param slab its number
     */
    record SlabGone(int slab) implements MappedFrame {

        public MemorySegment encode(long token) {
            return frame(Integer.BYTES, token, SLAB_GONE, out -> out.putInt(slab));
        }
    }

    /**
     * A message whose data is in a slab, and is the receiver's until it says {@link Taken}.
     *
     * @param header the header of the message
     * @param id the reserved id of its protocol
     * @param number of the offer
     * @param slab where the data is
     * @param offset where it begins there
     * @param length its size in bytes
     */
    record Offer(byte[] header, int id, int number, int slab, long offset, long length) implements MappedFrame {
    }

    /**
     * The receiver has copied an offered message, or given it up.
     *
     * @param number of the offer
     */
    record Taken(int number) implements MappedFrame {

        public static final int BYTES = TOKEN_BYTES + Integer.BYTES + 1;

        /** Writes the frame into an array of {@link #BYTES}. */
        public static void put(byte[] frame, long token, int number) {
            FrameBytes.putLong(frame, 0, token);
            FrameBytes.putInt(frame, TOKEN_BYTES, number);
            frame[BYTES - 1] = TAKEN;
        }
    }

    /** Writes the fields of an offer behind the header of its message. */
    static void putOffer(byte[] frame, int at, int id, int number, int slab, long offset, long length) {
        FrameBytes.putShort(frame, at, (short) id);
        FrameBytes.putInt(frame, at + 2, number);
        FrameBytes.putInt(frame, at + 6, slab);
        FrameBytes.putLong(frame, at + 10, offset);
        FrameBytes.putLong(frame, at + 18, length);
        frame[at + 26] = OFFER;
    }

    /** Writes the fields of a frame. */
    @FunctionalInterface
    interface Fields {

        ByteBuffer put(ByteBuffer out);
    }

    private static MemorySegment frame(int bytes, long token, byte type, Fields fields) {
        ByteBuffer out = ByteBuffer.allocate(TOKEN_BYTES + bytes + 1).putLong(token);
        return MemorySegment.ofArray(fields.put(out).put(type).array());
    }

    /** Returns the frame in the header of a message whose token was checked; null when it is none. */
    static @Nullable MappedFrame parse(UcpActiveMessage message) {
        return message.length() == 0 && message.headerBytes() > TOKEN_BYTES
                ? parse(message.header().toArray(ValueLayout.JAVA_BYTE)) : null;
    }

    /** Returns the frame in a header, token included; null when it is none. */
    static @Nullable MappedFrame parse(byte[] header) {
        if (header.length <= TOKEN_BYTES) {
            return null;
        }
        byte type = header[header.length - 1];
        ByteBuffer in = ByteBuffer.wrap(header, TOKEN_BYTES, header.length - TOKEN_BYTES - 1);
        return switch (type) {
            case SLAB -> in.remaining() == Slab.BYTES ? slab(in) : null;
            case SLAB_ANSWER -> in.remaining() == SlabAnswer.BYTES ? new SlabAnswer(in.getInt(), in.get() == 1) : null;
            case SLAB_GONE -> in.remaining() == Integer.BYTES ? new SlabGone(in.getInt()) : null;
            case OFFER -> offer(header);
            case TAKEN -> in.remaining() == Integer.BYTES ? new Taken(in.getInt()) : null;
            default -> null;
        };
    }

    private static Slab slab(ByteBuffer in) {
        byte[] key = new byte[SharedPages.KEY_BYTES];
        Slab keyless = new Slab(in.getInt(), in.getLong(), in.getInt(), in.getInt(), in.getLong(), key);
        in.get(key);
        return keyless;
    }

    private static @Nullable Offer offer(byte[] header) {
        int own = header.length - OFFER_BYTES;
        if (own < TOKEN_BYTES) {
            return null;
        }
        ByteBuffer in = ByteBuffer.wrap(header, own, OFFER_BYTES);
        return new Offer(Arrays.copyOf(header, own), Short.toUnsignedInt(in.getShort()), in.getInt(), in.getInt(),
                in.getLong(), in.getLong());
    }
}
