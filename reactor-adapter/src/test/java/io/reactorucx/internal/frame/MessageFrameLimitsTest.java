package io.reactorucx.internal.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.transport.frame.FrameBytes;
import io.reactorucx.transport.frame.ProtocolViolationException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Batches of a peer, byte by byte: the largest value of a field that is taken, and the first that is refused. */
class MessageFrameLimitsTest {

    private static final int STREAM = 3;
    private static final int BEHIND = 1 << 17;

    private final List<String> frames = new ArrayList<>();

    private final MessageFrameCodec.Visitor recorder = new MessageFrameCodec.Visitor() {
        @Override
        public void open(int stream, int messages, int bytes, int offset, int length) {
            frames.add("open " + messages + " " + bytes + " " + offset + " " + length);
        }

        @Override
        public void data(int stream, int offset, int length, int count) {
            frames.add("data " + offset + " " + length + " x" + count);
        }

        @Override
        public void credit(int stream, int messages, int bytes) {
            frames.add("credit " + messages + " " + bytes);
        }

        @Override
        public void complete(int stream) {
            frames.add("complete " + stream);
        }

        @Override
        public void error(int stream, int code, String text) {
            frames.add("error " + code + " " + text.length());
        }

        @Override
        public void cancel(int stream) {
            frames.add("cancel " + stream);
        }

        @Override
        public void reset(int stream) {
            frames.add("reset " + stream);
        }

        @Override
        public void last() {
            frames.add("last");
        }

        @Override
        public void settings(long maxMessageBytes, int maxStreams) {
            frames.add("settings " + maxMessageBytes + " " + maxStreams);
        }
    };

    /** A batch of one frame whose body is followed by so many more bytes. */
    private static byte[] frame(byte type, byte[] body, int more) {
        int head = MessageFrameCodec.PREAMBLE_BYTES + MessageFrameCodec.FRAME_BYTES;
        return ByteBuffer.allocate(head + body.length + more).position(MessageFrameCodec.PREAMBLE_BYTES)
                .put(type).putInt(STREAM).put(body).array();
    }

    private static byte[] ints(int... values) {
        ByteBuffer bytes = ByteBuffer.allocate(values.length * Integer.BYTES);
        for (int value : values) {
            bytes.putInt(value);
        }
        return bytes.array();
    }

    private static byte[] intAndShort(int first, int second) {
        return ByteBuffer.allocate(Integer.BYTES + Short.BYTES).putInt(first).putShort((short) second).array();
    }

    /** Parses a batch that stands in an array with other bytes behind it, as a small one does. */
    private void parse(byte[] batch) {
        MessageFrameCodec.parse(Arrays.copyOf(batch, batch.length + BEHIND), batch.length, recorder);
    }

    private void assertRefused(byte[] batch, String word) {
        frames.clear();
        assertThatThrownBy(() -> parse(batch))
                .isInstanceOf(ProtocolViolationException.class).hasMessageContaining(word);
        assertThat(frames).isEmpty();
    }

    private void assertParsed(byte[] batch, String frame) {
        frames.clear();
        parse(batch);
        assertThat(frames).containsExactly(frame);
    }

    /** The messages of a run stand one behind the other, and each is read without another check. */
    @Test
    void runHasAllItsMessages() {
        assertParsed(frame(MessageFrameCodec.RUN, intAndShort(3, 4), 12), "data 27 3 x4");
        assertRefused(frame(MessageFrameCodec.RUN, intAndShort(3, 4), 11), "12 bytes at 27");
        assertRefused(frame(MessageFrameCodec.RUN, intAndShort(3, 0), 12), "no messages");
        int most = MessageFrameCodec.MAX_INLINE_BYTES;
        assertRefused(frame(MessageFrameCodec.RUN, intAndShort(most, MessageFrameCodec.MAX_RUN), most),
                "needs " + most * MessageFrameCodec.MAX_RUN);
    }

    @Test
    void payloadsHaveALimitAndAllTheirBytes() {
        int most = MessageFrameCodec.MAX_INLINE_BYTES;
        assertParsed(frame(MessageFrameCodec.DATA, ints(most), most), "data 25 " + most + " x1");
        assertRefused(frame(MessageFrameCodec.DATA, ints(most), most - 1), "needs " + most);
        assertRefused(frame(MessageFrameCodec.DATA, ints(most + 1), most + 1), "a payload of " + (most + 1));
        assertRefused(frame(MessageFrameCodec.DATA, ints(-1), 100), "a payload of 4294967295");
        assertParsed(frame(MessageFrameCodec.OPEN, ints(1, 2, 3), 3), "open 1 2 33 3");
        assertRefused(frame(MessageFrameCodec.OPEN, ints(1, 2, 3), 2), "needs 3");
    }

    @Test
    void creditHasALimit() {
        int most = MessageFrameCodec.MAX_CREDIT;
        assertParsed(frame(MessageFrameCodec.CREDIT, ints(most, 0), 0), "credit " + most + " 0");
        assertParsed(frame(MessageFrameCodec.CREDIT, ints(0, most), 0), "credit 0 " + most);
        assertRefused(frame(MessageFrameCodec.CREDIT, ints(most + 1, 0), 0), "a credit of");
        assertRefused(frame(MessageFrameCodec.CREDIT, ints(0, -1), 0), "a credit of 4294967295");
        assertRefused(frame(MessageFrameCodec.OPEN, ints(-1, 0, 0), 0), "a credit of");
    }

    @Test
    void textsHaveALimit() {
        int most = MessageFrameCodec.MAX_TEXT_BYTES;
        assertParsed(frame(MessageFrameCodec.ERROR, intAndShort(-5, most), most), "error -5 " + most);
        assertRefused(frame(MessageFrameCodec.ERROR, intAndShort(-5, most + 1), most + 1), "a text of");
        assertRefused(frame(MessageFrameCodec.ERROR, intAndShort(-5, 10), 9), "needs 10");
    }

    @Test
    void settingsAreNotNegative() {
        byte[] zeros = new byte[Long.BYTES + Integer.BYTES];
        assertParsed(frame(MessageFrameCodec.SETTINGS, zeros, 0), "settings 0 0");
        assertRefused(frame(MessageFrameCodec.SETTINGS, ByteBuffer.allocate(12).putLong(-1).array(), 0), "settings");
        assertRefused(frame(MessageFrameCodec.SETTINGS, ByteBuffer.allocate(12).putInt(8, -1).array(), 0), "settings");
    }

    @Test
    void batchesAreNeitherTooSmallNorTooLarge() {
        frames.clear();
        parse(new byte[MessageFrameCodec.PREAMBLE_BYTES]);
        assertThat(frames).as("a batch that only acknowledges").isEmpty();
        assertRefused(new byte[MessageFrameCodec.PREAMBLE_BYTES - 1], "a batch of 15");
        assertThat(MessageFrameCodec.sequence(new byte[MessageFrameCodec.PREAMBLE_BYTES])).isZero();
        assertThatThrownBy(() -> MessageFrameCodec.sequence(new byte[MessageFrameCodec.PREAMBLE_BYTES - 1]))
                .isInstanceOf(ProtocolViolationException.class);
        int run = MessageFrameCodec.MAX_BATCH_BYTES - MessageFrameCodec.PREAMBLE_BYTES - MessageFrameCodec.FRAME_BYTES
                - Integer.BYTES - Short.BYTES;
        assertParsed(frame(MessageFrameCodec.RUN, intAndShort(1, run), run), "data 27 1 x" + run);
        assertRefused(frame(MessageFrameCodec.RUN, intAndShort(1, run), run + 1), "a batch of");
    }

    @Test
    void largeMessageNamesItsStream() {
        byte[] header = ByteBuffer.allocate(MessageFrameCodec.LARGE_HEADER_BYTES)
                .putInt(MessageFrameCodec.PREAMBLE_BYTES, -7).array();
        assertThat(MessageFrameCodec.stream(header)).isEqualTo(-7);
        for (int bytes : new int[] {0, header.length - 1, header.length + 1}) {
            assertThatThrownBy(() -> MessageFrameCodec.stream(new byte[bytes]))
                    .isInstanceOf(ProtocolViolationException.class).hasMessageContaining(bytes + " bytes");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 8, 9, 15, 16, 17, 100})
    void copiesExactlyTheBytesOfAMessage(int length) {
        byte[] from = new byte[length + 4];
        byte[] to = new byte[length + 5];
        byte[] expected = new byte[length + 5];
        for (int i = 0; i < length; i++) {
            from[2 + i] = (byte) (i + 1);
            expected[3 + i] = (byte) (i + 1);
        }
        FrameBytes.copy(from, 2, to, 3, length);
        assertThat(to).isEqualTo(expected);
    }
}
