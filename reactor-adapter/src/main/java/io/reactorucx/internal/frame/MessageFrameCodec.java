package io.reactorucx.internal.frame;

import io.reactorucx.transport.config.FlowControlConfig;
import io.reactorucx.transport.frame.FrameBytes;
import io.reactorucx.transport.frame.ProtocolViolationException;
import java.nio.charset.StandardCharsets;

/**
 * Parses the frames of flow-controlled messages. Nothing in what the peer sends is trusted.
 *
 * <p>An active message without a header is a batch: the receiver's token (8 bytes; all numbers are big-endian and
 * unsigned, unless noted), its sequence number in this direction (4), the number of messages received in the other
 * direction (4), then frames. Each frame has a type (1) and a stream (4): 0 is the default stream, others are twice a
 * number that grows from 1, plus 1 if the sender of the frame opened the stream. The type decides what follows. An
 * active message with a header of token, sequence number, acknowledgement and stream is one large message, which is
 * offered by rendezvous.
 */
public final class MessageFrameCodec {

    /**
     * Opens a stream: credit of messages (4) and bytes (4), length (4) and bytes of a first payload, which needs no
     * credit.
     */
    public static final byte OPEN = 1;
    /** A message: length (4) and bytes. */
    public static final byte DATA = 2;
    /** Gives more credit: messages (4) and bytes (4). */
    public static final byte CREDIT = 3;
    /** The sender of the frame sends nothing more on the stream. */
    public static final byte COMPLETE = 4;
    /** As COMPLETE, with an error: code (4), length (2) and text. */
    public static final byte ERROR = 5;
    /** The sender of the frame receives nothing more on the stream. */
    public static final byte CANCEL = 6;
    /** Answers a CANCEL of the default stream: all credit is void, later messages are for the next subscriber. */
    public static final byte RESET = 7;
    /** Nothing more follows on any stream; to be acknowledged at once. */
    public static final byte LAST = 8;
    /** Limits of the sender: largest message (8) and number of streams (4). */
    public static final byte SETTINGS = 9;
    /** Messages of one length: length (4), count (2), and their bytes, one behind the other. */
    public static final byte RUN = 10;

    public static final int PREAMBLE_BYTES = 16;
    public static final int LARGE_HEADER_BYTES = PREAMBLE_BYTES + 4;
    private static final int SEQUENCE_AT = Long.BYTES;
    private static final int ACKNOWLEDGEMENT_AT = SEQUENCE_AT + Integer.BYTES;
    /** Type and stream. */
    public static final int FRAME_BYTES = 5;
    /** Bytes beside those of a message, by itself or as the first of a run. */
    public static final int DATA_FRAME_BYTES = FRAME_BYTES + 4 + 2;
    /** Largest number of messages in a run. */
    public static final int MAX_RUN = (1 << 16) - 1;
    public static final int OPEN_FRAME_BYTES = FRAME_BYTES + 12;
    /** Size of the longest frame without a payload. */
    public static final int CONTROL_FRAME_BYTES = FRAME_BYTES + 12;
    /** Largest payload within a batch. */
    public static final int MAX_INLINE_BYTES = FlowControlConfig.MAX_INLINE_BYTES;
    public static final int MAX_TEXT_BYTES = 1 << 10;
    public static final int MAX_BATCH_BYTES = 64 << 10;
    /** Code of the ERROR that refuses a stream. */
    public static final int STREAM_REFUSED = 1;
    /**
     * Code of the ERROR that ends a stream, the default one included, because its sender closes the connection before
     * the stream is complete.
     */
    public static final int CONNECTION_CLOSED = -1;
    /** Largest credit that a stream may have. */
    public static final int MAX_CREDIT = 1 << 30;

    private MessageFrameCodec() {
    }

    /**
     * Is called for each frame, in order. Offsets are those of the batch, and lie within it. A method may throw
     * {@link ProtocolViolationException}.
     */
    public interface Visitor {

        void open(int stream, int messages, int bytes, int offset, int length);

        /** {@code count} messages of the same length stand one behind the other. */
        void data(int stream, int offset, int length, int count);

        void credit(int stream, int messages, int bytes);

        void complete(int stream);

        void error(int stream, int code, String text);

        void cancel(int stream);

        void reset(int stream);

        void last();

        void settings(long maxMessageBytes, int maxStreams);
    }

    /** Writes what a batch, and the header of a large message, begin with. */
    public static void putPreamble(byte[] message, long token, int sequence, int acknowledged) {
        FrameBytes.putLong(message, 0, token);
        FrameBytes.putInt(message, SEQUENCE_AT, sequence);
        FrameBytes.putInt(message, ACKNOWLEDGEMENT_AT, acknowledged);
    }

    /** Returns the sequence number of a batch, or of a large message by its header. */
    public static int sequence(byte[] message) {
        return sequence(message, message.length);
    }

    /** Returns the sequence number of a batch, the first bytes of an array. */
    public static int sequence(byte[] batch, int size) {
        if (size < PREAMBLE_BYTES) {
            throw new ProtocolViolationException(size + " bytes are less than a preamble");
        }
        return FrameBytes.getInt(batch, SEQUENCE_AT);
    }

    /** Returns how many messages of the other direction the sender has received; after {@link #sequence}. */
    public static int acknowledged(byte[] message) {
        return FrameBytes.getInt(message, ACKNOWLEDGEMENT_AT);
    }

    /** Returns the stream of a large message by its header. */
    public static int stream(byte[] header) {
        if (header.length != LARGE_HEADER_BYTES) {
            throw new ProtocolViolationException("the header of a large message has " + header.length + " bytes");
        }
        return FrameBytes.getInt(header, PREAMBLE_BYTES);
    }

    /**
     * Parses a batch.
     *
     * @param batch begins with the batch
     * @param size how many bytes the batch has
     * @param visitor is called for each frame
     * @throws ProtocolViolationException at the first frame that is invalid, after the visitor's calls for those before
     */
    public static void parse(byte[] batch, int size, Visitor visitor) {
        if (size > MAX_BATCH_BYTES || size < PREAMBLE_BYTES) {
            throw new ProtocolViolationException("a batch of " + size + " bytes");
        }
        int at = PREAMBLE_BYTES;
        while (at < size) {
            require(size, at, FRAME_BYTES);
            byte type = batch[at];
            int stream = FrameBytes.getInt(batch, at + 1);
            if (stream == 1) {
                throw new ProtocolViolationException("no stream has the id 1");
            }
            at += FRAME_BYTES;
            at = type == DATA ? data(batch, size, at, stream, visitor)
                    : other(batch, size, at, type, stream, visitor);
        }
    }

    private static int data(byte[] batch, int size, int at, int stream, Visitor visitor) {
        require(size, at, Integer.BYTES);
        int length = length(size, at + Integer.BYTES, FrameBytes.getInt(batch, at));
        visitor.data(stream, at + Integer.BYTES, length, 1);
        return at + Integer.BYTES + length;
    }

    private static int run(byte[] batch, int size, int at, int stream, Visitor visitor) {
        int messages = at + Integer.BYTES + Short.BYTES;
        require(size, at, Integer.BYTES + Short.BYTES);
        int length = length(size, messages, FrameBytes.getInt(batch, at));
        int count = Short.toUnsignedInt(FrameBytes.getShort(batch, at + Integer.BYTES));
        if (count == 0) {
            throw new ProtocolViolationException("a run of no messages");
        }
        require(size, messages, length * count);
        visitor.data(stream, messages, length, count);
        return messages + length * count;
    }

    private static int other(byte[] batch, int size, int at, byte type, int stream, Visitor visitor) {
        switch (type) {
            case OPEN -> {
                require(size, at, 3 * Integer.BYTES);
                int payload = at + 3 * Integer.BYTES;
                int length = length(size, payload, FrameBytes.getInt(batch, at + 2 * Integer.BYTES));
                visitor.open(stream, credit(batch, at), credit(batch, at + Integer.BYTES), payload, length);
                return payload + length;
            }
            case CREDIT -> {
                require(size, at, 2 * Integer.BYTES);
                visitor.credit(stream, credit(batch, at), credit(batch, at + Integer.BYTES));
                return at + 2 * Integer.BYTES;
            }
            case RUN -> {
                return run(batch, size, at, stream, visitor);
            }
            case COMPLETE -> visitor.complete(stream);
            case ERROR -> {
                return error(batch, size, at, stream, visitor);
            }
            case CANCEL -> visitor.cancel(stream);
            case RESET -> visitor.reset(stream);
            case LAST -> visitor.last();
            case SETTINGS -> {
                require(size, at, Long.BYTES + Integer.BYTES);
                long maxMessageBytes = FrameBytes.getLong(batch, at);
                int maxStreams = FrameBytes.getInt(batch, at + Long.BYTES);
                if (maxMessageBytes < 0 || maxStreams < 0) {
                    throw new ProtocolViolationException("settings of " + maxMessageBytes + " bytes and " + maxStreams
                            + " streams");
                }
                visitor.settings(maxMessageBytes, maxStreams);
                return at + Long.BYTES + Integer.BYTES;
            }
            default -> throw new ProtocolViolationException("a frame of the type " + type);
        }
        return at;
    }

    private static int error(byte[] batch, int size, int at, int stream, Visitor visitor) {
        int text = at + Integer.BYTES + Short.BYTES;
        require(size, at, Integer.BYTES + Short.BYTES);
        int length = Short.toUnsignedInt(FrameBytes.getShort(batch, at + Integer.BYTES));
        if (length > MAX_TEXT_BYTES) {
            throw new ProtocolViolationException("a text of " + length + " bytes");
        }
        require(size, text, length);
        visitor.error(stream, FrameBytes.getInt(batch, at), new String(batch, text, length, StandardCharsets.UTF_8));
        return text + length;
    }

    private static int length(int size, int at, int length) {
        if (length < 0 || length > MAX_INLINE_BYTES) {
            throw new ProtocolViolationException("a payload of " + Integer.toUnsignedString(length)
                    + " bytes in a batch");
        }
        require(size, at, length);
        return length;
    }

    private static int credit(byte[] batch, int at) {
        int credit = FrameBytes.getInt(batch, at);
        if (credit < 0 || credit > MAX_CREDIT) {
            throw new ProtocolViolationException("a credit of " + Integer.toUnsignedString(credit));
        }
        return credit;
    }

    private static void require(int size, int at, int bytes) {
        if (bytes > size - at) {
            throw new ProtocolViolationException("a frame that needs " + bytes + " bytes at " + at + " of " + size);
        }
    }
}
