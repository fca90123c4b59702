package io.reactorucx;

import io.reactorucx.internal.frame.MappedFrame;
import io.reactorucx.internal.frame.MemoryFrame;
import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.frame.RequestHeader;
import io.reactorucx.memory.WindowDescriptor;
import io.reactorucx.transport.frame.BindFrame;
import io.reactorucx.transport.frame.ControlFrame;
import io.reactorucx.transport.frame.ProtocolViolationException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Consumer;

/** What reads bytes that a peer has made: one line for each parser, and {@link FrameFuzzTest} feeds it. */
enum FrameParser {

    CONTROL(FrameParser::control),
    PAIRING(FrameParser::pairing),
    MESSAGES(FrameParser::messages),
    MEMORY(FrameParser::memory),
    MAPPED(MappedFrame::parse),
    REQUEST(FrameParser::request),
    WINDOW(FrameParser::window),

    /** Not ours: a parser with a fault, which has to be found. */
    FAULTY(FrameParser::faulty);

    private final Consumer<byte[]> reader;

    FrameParser(Consumer<byte[]> reader) {
        this.reader = reader;
    }

    /** Reads, and checks what came of it; whatever this throws is a fault. */
    void read(byte[] bytes) {
        reader.accept(bytes);
    }

    String corpus() {
        return "fuzz/" + name().toLowerCase(Locale.ROOT);
    }

    /** Any bytes are a frame that can be said again, or none. */
    private static void control(byte[] bytes) {
        ControlFrame frame = ControlFrame.parse(bytes);
        if (frame != null && frame.protocolVersion() == ControlFrame.PROTOCOL_VERSION) {
            ControlFrame again = ControlFrame.parse(frame.toBytes());
            check(again != null && Arrays.equals(again.toBytes(), frame.toBytes()),
                    "the frame says what the bytes do not");
        }
    }

    private static void pairing(byte[] bytes) {
        BindFrame frame = BindFrame.parse(bytes);
        check(frame == null || Arrays.equals(frame.toBytes(), bytes), "the frame says what the bytes do not");
    }

    /** What a batch tells of lies within it. */
    private static void messages(byte[] bytes) {
        try {
            MessageFrameCodec.parse(bytes, bytes.length, new WithinBatch(bytes.length));
        } catch (ProtocolViolationException e) {
            // What is no batch.
        }
    }

    /** The first byte says how many of the others are the header, the rest stands for the data. */
    private static void memory(byte[] bytes) {
        if (bytes.length > 0) {
            int header = Math.min(Byte.toUnsignedInt(bytes[0]), bytes.length - 1);
            MemoryFrame.parse(MemorySegment.ofArray(bytes).asSlice(1, header), bytes.length - 1 - header);
        }
    }

    private static void request(byte[] bytes) {
        try {
            check(Arrays.equals(RequestHeader.parse(bytes).toBytes(), bytes), "the head says what the bytes do not");
        } catch (ProtocolViolationException e) {
            // What is no request.
        }
    }

    private static void window(byte[] bytes) {
        try {
            WindowDescriptor.fromBytes(bytes);
        } catch (IllegalArgumentException e) {
            // What is no descriptor.
        }
    }

    /** Checks that what a batch tells of lies within it. */
    private record WithinBatch(int bytes) implements MessageFrameCodec.Visitor {

        private void within(int offset, int length) {
            check(offset >= 0 && length >= 0 && offset <= bytes - length, "data outside of the batch");
        }

        @Override
        public void open(int stream, int messages, int creditBytes, int offset, int length) {
            check(messages >= 0 && creditBytes >= 0, "less than no credit");
            within(offset, length);
        }

        @Override
        public void data(int stream, int offset, int length, int count) {
            within(offset, length * count);
        }

        @Override
        public void credit(int stream, int messages, int creditBytes) {
            check(messages >= 0 && creditBytes >= 0, "less than no credit");
        }

        @Override
        public void complete(int stream) {
            // Nothing to check.
        }

        @Override
        public void error(int stream, int code, String text) {
            check(text.length() <= bytes, "more text than bytes");
        }

        @Override
        public void cancel(int stream) {
            // Nothing to check.
        }

        @Override
        public void reset(int stream) {
            // Nothing to check.
        }

        @Override
        public void last() {
            // Nothing to check.
        }

        @Override
        public void settings(long maxMessageBytes, int maxStreams) {
            check(maxMessageBytes >= 0 && maxStreams >= 0, "a limit below nothing");
        }
    }

    /** No library: this is done millions of times. */
    private static void check(boolean condition, String otherwise) {
        if (!condition) {
            throw new AssertionError(otherwise);
        }
    }

    private static void faulty(byte[] bytes) {
        if (bytes.length > 3 && bytes[0] == 'u' && bytes[1] == 'c' && bytes[2] == 'x') {
            throw new IndexOutOfBoundsException("a length that was believed");
        }
    }
}
