package io.reactorucx.internal.frame;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.AtomicOperation;
import io.reactorucx.core.AtomicWidth;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.memory.ServedMemoryConfig;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The header of an active message by which framework peers serve remote memory, behind the receiver's token. The bytes
 * that are read or written are the data of the message.
 *
 * <p>Layout, big-endian: type (1 byte), code (1), number of the request (4), and then by type: 1 READ, key (16), offset
 * (8), length (8); 2 WRITE, key, offset; 3 ATOMIC, key, offset, operand (8), expected value (8), the code being the
 * operation, plus 128 for words of 4 bytes; 4 REPLY, requests that this side serves at once (2), old value (8), the
 * code being the status. Nothing else has data than WRITE, and the reply to READ.
 */
public sealed interface MemoryFrame {

    /** Requests that a peer may send before the first reply tells it how many are served at once. */
    int FIRST_REQUESTS = ServedMemoryConfig.MIN_REQUESTS;

    /**
     * Largest data that is sent eagerly. A rendezvous takes two more messages; below this size they take longer than
     * the copy that it saves, also on busy processors.
     */
    int MAX_EAGER_BYTES = 64 * 1024;

    byte READ = 1;
    byte WRITE = 2;
    byte ATOMIC = 3;
    byte REPLY = 4;

    /** The order is the protocol's. */
    List<AtomicOperation> OPERATIONS = List.of(AtomicOperation.ADD, AtomicOperation.SWAP,
            AtomicOperation.COMPARE_AND_SWAP,
            AtomicOperation.AND, AtomicOperation.OR, AtomicOperation.XOR);
    int SHORT_WORD = 128;

    /** Place of the key, behind type, code and number. */
    int KEY_AT = 6;

    /** Maximum size of a header. */
    int MAX_BYTES = KEY_AT + WindowKey.BYTES + 3 * Long.BYTES;

    int id();

    MemorySegment toSegment();

    /** Replaces the key in the bytes of a frame, if it has one, by asterisks, and returns them. */
    static byte[] withoutKey(byte[] frame) {
        if (frame.length > KEY_AT && frame[0] != REPLY) {
            Arrays.fill(frame, KEY_AT, Math.min(frame.length, KEY_AT + WindowKey.BYTES), (byte) '*');
        }
        return frame;
    }

    private static ByteBuffer begin(int bytes, byte type, int code, int id) {
        return ByteBuffer.allocate(bytes).put(type).put((byte) code).putInt(id);
    }

    /** A request for a range of a window. */
    sealed interface Request extends MemoryFrame {

        WindowKey key();

        long offset();

        /** Bytes of the range, not checked. */
        long length();

        MemoryRight right();
    }

    /** Asks for bytes of a window. */
    record Read(int id, WindowKey key, long offset, long length) implements Request {

        public static final int BYTES = 6 + WindowKey.BYTES + 2 * Long.BYTES;

        @Override
        public MemoryRight right() {
            return MemoryRight.READ;
        }

        @Override
        public MemorySegment toSegment() {
            ByteBuffer out = begin(BYTES, READ, 0, id);
            key.write(out);
            return MemorySegment.ofArray(out.putLong(offset).putLong(length).array());
        }
    }

    /** Offers bytes for a window. */
    record Write(int id, WindowKey key, long offset, long length) implements Request {

        public static final int BYTES = 6 + WindowKey.BYTES + Long.BYTES;

        @Override
        public MemoryRight right() {
            return MemoryRight.WRITE;
        }

        @Override
        public MemorySegment toSegment() {
            ByteBuffer out = begin(BYTES, WRITE, 0, id);
            key.write(out);
            return MemorySegment.ofArray(out.putLong(offset).array());
        }
    }

    /** Asks for an atomic operation on a window. */
    record Atomic(int id, WindowKey key, long offset, AtomicRequest call) implements Request {

        public static final int BYTES = MAX_BYTES;

        @Override
        public MemoryRight right() {
            return MemoryRight.ATOMIC;
        }

        @Override
        public long length() {
            return call.width().bytes();
        }

        @Override
        public MemorySegment toSegment() {
            int code = OPERATIONS.indexOf(call.operation()) + (call.width() == AtomicWidth.INT ? SHORT_WORD : 0);
            ByteBuffer out = begin(BYTES, ATOMIC, code, id);
            key.write(out);
            return MemorySegment.ofArray(out.putLong(offset).putLong(call.operand()).putLong(call.expected()).array());
        }
    }

    /** Ends a request. */
    record Reply(int id, MemoryReplyStatus status, int maxRequests, long value) implements MemoryFrame {

        public static final int BYTES = 6 + 2 + Long.BYTES;

        @Override
        public MemorySegment toSegment() {
            return MemorySegment.ofArray(begin(BYTES, REPLY, status.ordinal(), id).putShort((short) maxRequests)
                    .putLong(value).array());
        }
    }

    /** Returns the protocol for data of a size. Data that is not eager stays with its sender until it is fetched. */
    static AmProtocol protocol(long bytes) {
        return bytes <= MAX_EAGER_BYTES ? AmProtocol.EAGER : AmProtocol.RENDEZVOUS;
    }

    /** Returns the frame, or null when the header is not a frame, or has data that its kind does not carry. */
    static @Nullable MemoryFrame parse(MemorySegment header, long dataBytes) {
        if (header.byteSize() < Reply.BYTES || header.byteSize() > MAX_BYTES) {
            return null;
        }
        ByteBuffer in = ByteBuffer.wrap(header.toArray(ValueLayout.JAVA_BYTE));
        byte type = in.get();
        int code = Byte.toUnsignedInt(in.get());
        int id = in.getInt();
        int size = in.capacity();
        return switch (type) {
            case READ -> size == Read.BYTES && code == 0 && dataBytes == 0
                    ? new Read(id, WindowKey.read(in), in.getLong(), in.getLong()) : null;
            case WRITE -> size == Write.BYTES && code == 0 ? new Write(id, WindowKey.read(in), in.getLong(), dataBytes)
                    : null;
            case ATOMIC -> size == Atomic.BYTES && dataBytes == 0 ? atomic(id, code, in) : null;
            case REPLY -> size == Reply.BYTES ? reply(id, code, dataBytes, in) : null;
            default -> null;
        };
    }

    private static @Nullable Atomic atomic(int id, int code, ByteBuffer in) {
        int operation = code & ~SHORT_WORD;
        if (operation >= OPERATIONS.size()) {
            return null;
        }
        AtomicWidth width = (code & SHORT_WORD) == 0 ? AtomicWidth.LONG : AtomicWidth.INT;
        WindowKey key = WindowKey.read(in);
        return new Atomic(id, key, in.getLong(), new AtomicRequest(OPERATIONS.get(operation), width, in.getLong(),
                in.getLong()));
    }

    private static @Nullable Reply reply(int id, int code, long dataBytes, ByteBuffer in) {
        int maxRequests = Short.toUnsignedInt(in.getShort());
        boolean known = code < MemoryReplyStatus.values().length && maxRequests >= FIRST_REQUESTS
                && maxRequests <= ServedMemoryConfig.MAX_REQUESTS;
        return known && (dataBytes == 0 || code == MemoryReplyStatus.OK.ordinal())
                ? new Reply(id, MemoryReplyStatus.values()[code], maxRequests, in.getLong()) : null;
    }
}
