package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.message.batch.MessageBatch;
import io.reactorucx.transport.frame.ProtocolViolationException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Frames that were written are parsed unchanged, and invalid ones are refused. */
class MessageFrameCodecTest {

    private static final long TOKEN = 0x0102_0304_0506_0708L;

    /** Records the frames that it is called for. */
    private static final class FrameRecorder implements MessageFrameCodec.Visitor {

        private final List<String> frames = new ArrayList<>();

        @Override
        public void open(int stream, int messages, int bytes, int offset, int length) {
            frames.add("open " + stream + " " + messages + " " + bytes + " " + offset + " " + length);
        }

        @Override
        public void data(int stream, int offset, int length, int count) {
            frames.add("data " + stream + " " + offset + " " + length + (count == 1 ? "" : " x" + count));
        }

        @Override
        public void credit(int stream, int messages, int bytes) {
            frames.add("credit " + stream + " " + messages + " " + bytes);
        }

        @Override
        public void complete(int stream) {
            frames.add("complete " + stream);
        }

        @Override
        public void error(int stream, int code, String text) {
            frames.add("error " + stream + " " + code + " " + text);
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
    }

    private static List<String> parse(MemorySegment batch) {
        return parse(Bytes.array(batch));
    }

    private static List<String> parse(byte[] batch) {
        FrameRecorder told = new FrameRecorder();
        MessageFrameCodec.parse(batch, batch.length, told);
        return told.frames;
    }

    private static MessageBatch all() {
        MessageBatch batch = new MessageBatch.Pool().take(done -> { }, 4096, 100);
        batch.settings(1L << 40, 17);
        batch.open(3, 4, 5, new byte[] {1}, MemorySegment.ofArray(new byte[] {2}));
        batch.open(5, 4, 5, new byte[] {1}, new byte[] {2});
        batch.credit(3, 6, 7);
        batch.data(0, new byte[] {1, 2, 3});
        batch.data(-1, MemorySegment.ofArray(new byte[] {4}));
        batch.data(2, new byte[0]);
        batch.signal(MessageFrameCodec.CANCEL, 3);
        batch.signal(MessageFrameCodec.RESET, 0);
        batch.error(2, -5, "wörds");
        batch.signal(MessageFrameCodec.COMPLETE, 3);
        batch.signal(MessageFrameCodec.LAST, 0);
        return batch;
    }

    private static MemorySegment finished(MessageBatch batch, long token, int sequence, int acknowledged) {
        batch.finish(token, sequence, acknowledged);
        MemorySegment sent = batch.toNative();
        assertThat(sent.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(Arrays.copyOf(batch.bytes(), batch.byteSize()));
        return sent;
    }

    @Test
    void parsedFramesAreThoseThatWereWritten() {
        byte[] bytes = Bytes.array(finished(all(), TOKEN, -7, 9));

        assertThat(Arrays.copyOf(bytes, Long.BYTES)).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
        assertThat(MessageFrameCodec.sequence(bytes)).isEqualTo(-7);
        assertThat(MessageFrameCodec.acknowledged(bytes)).isEqualTo(9);
        assertThat(parse(bytes)).containsExactly("settings " + (1L << 40) + " 17", "open 3 4 5 50 2", "open 5 4 5 69 2",
                "credit 3 6 7", "data 0 93 3", "data -1 105 1", "data 2 115 0", "cancel 3", "reset 0",
                "error 2 -5 wörds", "complete 3", "last");
        assertThat(Arrays.copyOfRange(bytes, 50, 52)).containsExactly(1, 2);
        assertThat(Arrays.copyOfRange(bytes, 69, 71)).containsExactly(1, 2);
    }

    @Test
    void messagesOfOneLengthMakeARun() {
        MessageBatch batch = new MessageBatch.Pool().take(done -> { }, 4096, 100);
        for (int i = 0; i < 4; i++) {
            batch.data(3, new byte[] {1, 2});
        }
        batch.data(3, new byte[1]);
        batch.data(5, new byte[1]);
        batch.data(5, MemorySegment.ofArray(new byte[1]));
        batch.signal(MessageFrameCodec.COMPLETE, 3);
        batch.data(5, new byte[1]);

        assertThat(parse(finished(batch, TOKEN, 0, 0))).containsExactly("data 3 25 2", "data 3 38 2 x3", "data 3 53 1",
                "data 5 63 1", "data 5 75 1",
                "complete 3", "data 5 90 1");
    }

    @Test
    void runThatIsTooLongIsSplit() {
        MessageBatch batch = new MessageBatch.Pool().take(done -> { }, 4096, 100);
        for (int i = 0; i < MessageFrameCodec.MAX_RUN + 3; i++) {
            batch.data(3, new byte[0]);
        }

        assertThat(parse(finished(batch, TOKEN, 0, 0))).containsExactly("data 3 25 0",
                "data 3 36 0 x" + MessageFrameCodec.MAX_RUN, "data 3 45 0",
                "data 3 56 0");
    }

    @Test
    void textThatIsTooLongIsTruncated() {
        MessageBatch batch = new MessageBatch.Pool().take(done -> { }, 4096, 100);
        batch.error(0, 1, "x".repeat(5000));

        assertThat(parse(finished(batch, TOKEN, 0, 0))).containsExactly("error 0 1 "
                + "x".repeat(MessageFrameCodec.MAX_TEXT_BYTES));
    }

    @Test
    void truncatedBatchIsRefusedOrParsedAsAShorterOne() {
        MemorySegment bytes = finished(all(), TOKEN, 0, 0);
        int shorter = 0;
        for (int size = 0; size < bytes.byteSize(); size++) {
            try {
                parse(bytes.asSlice(0, size));
                shorter++;
            } catch (ProtocolViolationException e) {
                assertThat(e).hasMessageNotContaining("null");
            }
        }
        assertThat(shorter).as("places between frames").isEqualTo(12);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void randomBytesAreRefused(int seed) {
        Random random = new Random(seed);
        byte[] good = Bytes.array(finished(all(), TOKEN, 0, 0));
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = good.clone();
            for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                parse(bytes);
            } catch (ProtocolViolationException e) {
                assertThat(e.getMessage()).isNotEmpty();
            }
        }
    }

    @Test
    void batchThatIsTooLargeIsRefused() {
        assertThatThrownBy(() -> parse(new byte[MessageFrameCodec.MAX_BATCH_BYTES + 1]))
                .isInstanceOf(ProtocolViolationException.class)
                .hasMessageContaining(Integer.toString(MessageFrameCodec.MAX_BATCH_BYTES + 1));
    }
}
