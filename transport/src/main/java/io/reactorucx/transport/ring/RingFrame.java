package io.reactorucx.transport.ring;

import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.shm.SharedPages;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A frame by which two engines agree on their rings for a connection, over its endpoint. Layout, big-endian: the
 * receiver's token (8 bytes), type (1), and in {@link Type#OFFER} the descriptor (4), the size (4), the key and the key
 * of the receiver's ring (16 each).
 *
 * @param type the type
 * @param descriptor the number of the ring's file in the sender's process
 * @param bytes the size of the ring
 * @param key what the receiver needs to map it
 * @param peerKey the key of the receiver's ring, if the sender has mapped that for another connection, else zeros
 */
record RingFrame(Type type, int descriptor, int bytes, byte[] key, byte[] peerKey) {

    private static final int TOKEN_BYTES = Long.BYTES;
    private static final byte[] NO_KEY = new byte[SharedPages.KEY_BYTES];
    private static final int SHORT_BYTES = TOKEN_BYTES + 1;
    private static final int OFFER_BYTES = SHORT_BYTES + 2 * Integer.BYTES + 2 * SharedPages.KEY_BYTES;

    /** The types, in the protocol's order: frames carry the ordinal. */
    enum Type {
        /** The sender has a ring for the receiver. */
        OFFER,
        /** The sender has mapped the receiver's ring. */
        MAPPED,
        /** The connection goes on without rings. */
        DECLINE,
        /** The receiver sleeps, and its ring has something. */
        WAKE
    }

    private static final Type[] TYPES = Type.values();

    static RingFrame of(Type type) {
        return new RingFrame(type, 0, 0, NO_KEY, NO_KEY);
    }

    static RingFrame offer(SharedPages ring, @Nullable SharedPages ofPeer) {
        return new RingFrame(Type.OFFER, ring.descriptor(), (int) ring.memory().byteSize(), ring.key(),
                ofPeer == null ? NO_KEY : ofPeer.key());
    }

    /** Returns whether the sender knows of no ring of the receiver, or of this one. */
    boolean goesWith(SharedPages ringOfReceiver) {
        return Arrays.equals(peerKey, NO_KEY) || Arrays.equals(peerKey, ringOfReceiver.key());
    }

    byte[] encode(long token) {
        ByteBuffer out = ByteBuffer.allocate(type == Type.OFFER ? OFFER_BYTES : SHORT_BYTES).putLong(token)
                .put((byte) type.ordinal());
        if (type == Type.OFFER) {
            out.putInt(descriptor).putInt(bytes).put(key).put(peerKey);
        }
        return out.array();
    }

    /** Returns the frame, or null when the message is none. */
    static @Nullable RingFrame parse(UcpActiveMessage message) {
        return !message.isInline() || message.headerBytes() != 0 || message.length() > OFFER_BYTES ? null
                : parse(message.toByteArray());
    }

    /** Returns the frame, or null when the bytes are none. */
    static @Nullable RingFrame parse(byte[] frame) {
        if (frame.length < SHORT_BYTES) {
            return null;
        }
        ByteBuffer in = ByteBuffer.wrap(frame).position(TOKEN_BYTES);
        int number = Byte.toUnsignedInt(in.get());
        if (number >= TYPES.length || in.capacity() != (TYPES[number] == Type.OFFER ? OFFER_BYTES : SHORT_BYTES)) {
            return null;
        }
        if (TYPES[number] != Type.OFFER) {
            return of(TYPES[number]);
        }
        int descriptor = in.getInt();
        int bytes = in.getInt();
        byte[] key = new byte[SharedPages.KEY_BYTES];
        byte[] peerKey = new byte[SharedPages.KEY_BYTES];
        in.get(key).get(peerKey);
        return new RingFrame(Type.OFFER, descriptor, bytes, key, peerKey);
    }
}
