package io.reactorucx.transport.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.reactorucx.core.Ucx;
import io.reactorucx.core.shm.SharedPages;
import io.reactorucx.transport.frame.ReservedMessageIds;
import io.reactorucx.transport.ring.RingFrame.Type;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a peer may send in place of a frame is none; what is a frame reads as it was written. */
class RingFrameTest {

    private RingPair pair;

    @BeforeEach
    void open() {
        assumeThat(Ucx.isAvailable()).isTrue();
        pair = new RingPair();
    }

    @AfterEach
    void close() {
        if (pair != null) {
            pair.close();
        }
    }

    private @Nullable RingFrame parse(byte[] header, byte[] data) {
        RingFrame[] parsed = new RingFrame[1];
        pair.arrive(ReservedMessageIds.RINGS, header, data, message -> parsed[0] = RingFrame.parse(message));
        return parsed[0];
    }

    private @Nullable RingFrame parse(byte... data) {
        return parse(new byte[0], data);
    }

    @Test
    void offerReadsAsItWasWritten() {
        SharedPages ring = pair.here.own;
        SharedPages ofPeer = pair.there.own;

        RingFrame offer = parse(RingFrame.offer(ring, ofPeer).encode(4711));

        assertThat(offer).isNotNull();
        assertThat(offer.type()).isEqualTo(Type.OFFER);
        assertThat(offer.descriptor()).isEqualTo(ring.descriptor());
        assertThat(offer.bytes()).isEqualTo(RingLayout.MIN_BYTES);
        assertThat(offer.key()).isEqualTo(ring.key());
        assertThat(offer.peerKey()).isEqualTo(ofPeer.key());
        assertThat(offer.goesWith(ofPeer)).isTrue();
        assertThat(offer.goesWith(ring)).isFalse();
        assertThat(RingFrame.offer(ring, null).goesWith(ring)).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void frameOfAnotherSizeIsNone(Type type) {
        RingFrame frame = type == Type.OFFER ? RingFrame.offer(pair.here.own, null) : RingFrame.of(type);
        byte[] good = frame.encode(1);
        assertThat(parse(good)).isNotNull();

        for (int bytes = 0; bytes < 200; bytes++) {
            if (bytes != good.length) {
                assertThat(parse(Arrays.copyOf(good, bytes))).as("%s bytes", bytes).isNull();
            }
        }
        assertThat(parse(new byte[1], good)).as("with a header").isNull();
    }

    @Test
    void anyBytesAreAFrameOrNone() {
        Random random = new Random(1);
        int frames = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] data = new byte[random.nextInt(3) == 0 ? random.nextInt(100) : random.nextBoolean() ? 9 : 49];
            random.nextBytes(data);
            if (data.length > 8) {
                data[8] = (byte) random.nextInt(-1, 6);
            }
            RingFrame frame = parse(data);
            if (frame != null) {
                frames++;
                assertThat(frame.encode(ByteBuffer.wrap(data).getLong())).isEqualTo(data);
            }
        }
        assertThat(frames).isGreaterThan(1000);
    }
}
