package io.reactorucx.netty.io;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.reactorucx.netty.internal.LoopLinks;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SocketFrameTest {

    private static final List<SocketFrame> FRAMES = List.of(new SocketFrame.Hello(-1, Long.MIN_VALUE),
            new SocketFrame.Welcome(7, 8, 65_535, new LoopLinks.Name(9, 10)), new SocketFrame.Reject("full"),
            new SocketFrame.Closed());

    private static ByteBuf encoded(SocketFrame frame) {
        return frame.encode(UnpooledByteBufAllocator.DEFAULT);
    }

    @Test
    void readsWhatWasWrittenHoweverItIsCut() {
        for (SocketFrame frame : FRAMES) {
            ByteBuf bytes = encoded(frame);
            for (int cut = 0; cut < bytes.readableBytes(); cut++) {
                ByteBuf part = bytes.slice(0, cut);
                assertThat(SocketFrame.decode(part)).as("%s cut at %s", frame, cut).isNull();
                assertThat(part.readerIndex()).isZero();
            }
            assertThat(SocketFrame.decode(bytes)).isEqualTo(frame);
            assertThat(bytes.isReadable()).isFalse();
            bytes.release();
        }
    }

    @Test
    void longReasonsAreCut() {
        SocketFrame read = SocketFrame.decode(encoded(new SocketFrame.Reject("x".repeat(1000))));

        assertThat(read).isEqualTo(new SocketFrame.Reject("x".repeat(SocketFrame.MAX_BYTES)));
    }

    @Test
    void reasonOfAPeerShowsNoControlCharacters() {
        SocketFrame read = SocketFrame.decode(encoded(new SocketFrame.Reject("a\u001b[31m\nb")));

        assertThat(read).isEqualTo(new SocketFrame.Reject("a.[31m.b"));
    }

    @Test
    void showsWhatOtherProtocolsSay() {
        ByteBuf http = Unpooled.copiedBuffer("HTTP/1.1 400 Bad Request\r\n\r\n", StandardCharsets.US_ASCII);

        assertThat(SocketFrame.decode(http)).isEqualTo(new SocketFrame.Unknown("HTTP/1.1 400 Bad Request"));
        assertThat(http.isReadable()).isFalse();
    }

    @Test
    void anyBytesGiveAFrameOrNone() {
        Random random = new Random(2);
        int frames = 0;
        for (int i = 0; i < 100_000; i++) {
            ByteBuf bytes = random.nextInt(4) == 0 ? Unpooled.buffer() : encoded(FRAMES.get(i % FRAMES.size()));
            byte[] rest = new byte[random.nextInt(40)];
            random.nextBytes(rest);
            bytes.writeBytes(rest);
            for (int flips = random.nextInt(4); flips > 0 && bytes.isReadable(); flips--) {
                bytes.setByte(random.nextInt(bytes.readableBytes()), random.nextInt());
            }
            int before = bytes.readableBytes();
            SocketFrame frame = SocketFrame.decode(bytes);
            assertThat(frame == null).isEqualTo(bytes.readableBytes() == before);
            frames += frame == null || frame instanceof SocketFrame.Unknown ? 0 : 1;
            bytes.release();
        }
        assertThat(frames).isPositive();
    }
}
