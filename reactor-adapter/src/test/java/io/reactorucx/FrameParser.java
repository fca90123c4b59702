package io.reactorucx;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Consumer;

/** What reads bytes that a peer has made: one line for each parser, and {@link FrameFuzzTest} feeds it. */
enum FrameParser {

    CONTROL(FrameParser::control),

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

    /** Any bytes are a frame that says exactly what they say, a later version's HELLO, or none. */
    private static void control(byte[] bytes) {
        ControlFrame frame = ControlFrame.parse(MemorySegment.ofArray(bytes));
        if (frame != null && (frame.protocolVersion() == ControlFrame.PROTOCOL_VERSION || frame.type() != ControlFrame.Type.HELLO)) {
            check(Arrays.equals(frame.toBytes(), bytes), "the frame says what the bytes do not");
            check(frame.reason() != null, "no reason");
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
