package io.reactorucx;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * The frames of flow-controlled messages, as they come from the peer: nothing in them is trusted.
 *
 * <p>An active message without a header is a batch: its number in the order of this direction (4 bytes, as all numbers big-endian and
 * unsigned unless said), how many of the other direction have come (4), then frames. Each has a type (1) and a stream (4): 0 is the default
 * one, others are twice a number that grows from 1, plus 1 when the sender of the frame opened the stream. What follows is up to the type.
 * An active message with a header of number, count and stream is one large message, offered and not sent along.
 */
final class MessageFrames {

    /** A new stream: credit of messages (4) and bytes (4), length (4) and bytes of its first payload, which needs no credit. */
    static final byte OPEN = 1;
    /** A message: length (4) and bytes. */
    static final byte DATA = 2;
    /** More credit: messages (4) and bytes (4). */
    static final byte CREDIT = 3;
    /** Whoever says so sends nothing more on the stream. */
    static final byte COMPLETE = 4;
    /** As COMPLETE, because something failed: code (4), length (2) and text. */
    static final byte ERROR = 5;
    /** Whoever says so receives nothing more on the stream. */
    static final byte CANCEL = 6;
    /** The answer to a CANCEL of the default stream: all credit is void, what comes after it is for the next who receives. */
    static final byte RESET = 7;
    /** Nothing more will come on any stream; to be acknowledged at once. */
    static final byte LAST = 8;
    /** What the sender of this takes: largest message (8) and most streams (4). */
    static final byte SETTINGS = 9;

    static final int PREAMBLE_BYTES = 8;
    static final int LARGE_HEADER_BYTES = 12;
    /** Type and stream. */
    static final int FRAME_BYTES = 5;
    static final int DATA_FRAME_BYTES = FRAME_BYTES + 4;
    static final int OPEN_FRAME_BYTES = FRAME_BYTES + 12;
    /** The longest of the frames without a payload. */
    static final int CONTROL_FRAME_BYTES = FRAME_BYTES + 12;
    /** Largest payload within a batch. */
    static final int MAX_INLINE_BYTES = 32 << 10;
    static final int MAX_TEXT_BYTES = 1 << 10;
    static final int MAX_BATCH_BYTES = 64 << 10;
    /** Most credit that a stream may have. */
    static final int MAX_CREDIT = 1 << 30;

    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private MessageFrames() {
    }

    /** Told of each frame, in their order; offsets are those of the batch, and within it. May throw {@link BadFrameException} itself. */
    interface Visitor {

        void open(int stream, int messages, int bytes, int offset, int length);

        void data(int stream, int offset, int length);

        void credit(int stream, int messages, int bytes);

        void complete(int stream);

        void error(int stream, int code, String text);

        void cancel(int stream);

        void reset(int stream);

        void last();

        void settings(long maxMessageBytes, int maxStreams);
    }

    /** The number of a batch or of a large message, by the payload of one or the header of the other. */
    static int sequence(MemorySegment message) {
        if (message.byteSize() < PREAMBLE_BYTES) {
            throw new BadFrameException(message.byteSize() + " bytes are less than a preamble");
        }
        return message.get(INT, 0);
    }

    /** How many of the other direction its sender has got; after {@link #sequence}. */
    static int acknowledged(MemorySegment message) {
        return message.get(INT, Integer.BYTES);
    }

    /** The stream of a large message by its header. */
    static int stream(MemorySegment header) {
        if (header.byteSize() != LARGE_HEADER_BYTES) {
            throw new BadFrameException("the header of a large message has " + header.byteSize() + " bytes");
        }
        return header.get(INT, PREAMBLE_BYTES);
    }

    /**
     * Takes a batch apart.
     *
     * @param batch all of it
     * @param visitor told of each frame
     * @throws BadFrameException at the first byte that makes no sense; the visitor has been told of what came before
     */
    static void parse(MemorySegment batch, Visitor visitor) {
        long size = batch.byteSize();
        if (size > MAX_BATCH_BYTES || size < PREAMBLE_BYTES) {
            throw new BadFrameException("a batch of " + size + " bytes");
        }
        int at = PREAMBLE_BYTES;
        while (at < size) {
            require(batch, at, FRAME_BYTES);
            byte type = batch.get(ValueLayout.JAVA_BYTE, at);
            int stream = batch.get(INT, at + 1);
            if (stream == 1) {
                throw new BadFrameException("no stream can be called 1");
            }
            at += FRAME_BYTES;
            at = type == DATA ? data(batch, at, stream, visitor) : other(batch, at, type, stream, visitor);
        }
    }

    private static int data(MemorySegment batch, int at, int stream, Visitor visitor) {
        require(batch, at, Integer.BYTES);
        int length = length(batch, at + Integer.BYTES, batch.get(INT, at));
        visitor.data(stream, at + Integer.BYTES, length);
        return at + Integer.BYTES + length;
    }

    private static int other(MemorySegment batch, int at, byte type, int stream, Visitor visitor) {
        switch (type) {
            case OPEN -> {
                require(batch, at, 3 * Integer.BYTES);
                int payload = at + 3 * Integer.BYTES;
                int length = length(batch, payload, batch.get(INT, at + 2 * Integer.BYTES));
                visitor.open(stream, credit(batch, at), credit(batch, at + Integer.BYTES), payload, length);
                return payload + length;
            }
            case CREDIT -> {
                require(batch, at, 2 * Integer.BYTES);
                visitor.credit(stream, credit(batch, at), credit(batch, at + Integer.BYTES));
                return at + 2 * Integer.BYTES;
            }
            case COMPLETE -> visitor.complete(stream);
            case ERROR -> {
                return error(batch, at, stream, visitor);
            }
            case CANCEL -> visitor.cancel(stream);
            case RESET -> visitor.reset(stream);
            case LAST -> visitor.last();
            case SETTINGS -> {
                require(batch, at, Long.BYTES + Integer.BYTES);
                long maxMessageBytes = batch.get(LONG, at);
                int maxStreams = batch.get(INT, at + Long.BYTES);
                if (maxMessageBytes < 0 || maxStreams < 0) {
                    throw new BadFrameException("settings of " + maxMessageBytes + " bytes and " + maxStreams + " streams");
                }
                visitor.settings(maxMessageBytes, maxStreams);
                return at + Long.BYTES + Integer.BYTES;
            }
            default -> throw new BadFrameException("a frame of the type " + type);
        }
        return at;
    }

    private static int error(MemorySegment batch, int at, int stream, Visitor visitor) {
        int text = at + Integer.BYTES + Short.BYTES;
        require(batch, at, Integer.BYTES + Short.BYTES);
        int length = Short.toUnsignedInt(batch.get(SHORT, at + Integer.BYTES));
        if (length > MAX_TEXT_BYTES) {
            throw new BadFrameException("a text of " + length + " bytes");
        }
        require(batch, text, length);
        byte[] bytes = batch.asSlice(text, length).toArray(ValueLayout.JAVA_BYTE);
        visitor.error(stream, batch.get(INT, at), new String(bytes, StandardCharsets.UTF_8));
        return text + length;
    }

    private static int length(MemorySegment batch, int at, int length) {
        if (length < 0 || length > MAX_INLINE_BYTES) {
            throw new BadFrameException("a payload of " + Integer.toUnsignedString(length) + " bytes in a batch");
        }
        require(batch, at, length);
        return length;
    }

    private static int credit(MemorySegment batch, int at) {
        int credit = batch.get(INT, at);
        if (credit < 0 || credit > MAX_CREDIT) {
            throw new BadFrameException("a credit of " + Integer.toUnsignedString(credit));
        }
        return credit;
    }

    private static void require(MemorySegment batch, int at, int bytes) {
        if (bytes > batch.byteSize() - at) {
            throw new BadFrameException("a frame that needs " + bytes + " bytes at " + at + " of " + batch.byteSize());
        }
    }
}
