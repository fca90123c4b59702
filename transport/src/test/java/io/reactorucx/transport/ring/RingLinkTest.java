package io.reactorucx.transport.ring;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.Completion;
import io.reactorucx.core.Ucx;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.shm.NativeBytes;
import io.reactorucx.core.shm.SharedPages;
import io.reactorucx.transport.endpoint.PeerProcess;
import io.reactorucx.transport.frame.ReservedMessageIds;
import io.reactorucx.transport.ring.RingPair.Connection;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A pair of rings that several connections share, with peers that lie, are slow, or are gone. */
class RingLinkTest {
    private static final Completion IGNORED = (status, length, tag) -> { };

    private RingPair pair;
    private Connection near;

    @BeforeEach
    void open() {
        assumeThat(Ucx.isAvailable()).isTrue();
        pair = new RingPair();
        near = pair.here.connect(1);
        pair.there.connect(1);
    }

    @AfterEach
    void close() {
        if (pair != null) {
            pair.close();
        }
    }

    private MemorySegment ringOfPeer() {
        return pair.there.own.memory();
    }

    /** Has the peer write a record, which begins with a token, at the start of its ring. */
    private void put(long sequence, int id, int headerBytes, int dataBytes, long token) {
        MemorySegment ring = ringOfPeer();
        ring.set(JAVA_INT, RingPair.DATA_BYTES_AT, dataBytes);
        ring.set(JAVA_SHORT, RingPair.ID_AT, (short) id);
        ring.set(JAVA_SHORT, RingPair.HEADER_BYTES_AT, (short) headerBytes);
        ring.set(JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN), RingLayout.HEAD_BYTES, token);
        new NativeBytes(ring).setRelease(0, sequence);
    }

    /** What no honest peer writes. */
    enum Lie {
        SEQUENCE(test -> test.put(2, RingPair.ID, 0, 8, 1)),
        NEGATIVE_SIZE(test -> test.put(1, RingPair.ID, 0, -2, 1)),
        HUGE_SIZE(test -> test.put(1, RingPair.ID, 0, Integer.MAX_VALUE, 1)),
        HUGE_HEADER(test -> test.put(1, RingPair.ID, 0xFFFF, RingLayout.MIN_BYTES / 2, 1)),
        FILLER_AT_THE_START(test -> test.put(1, RingPair.ID, 0, RingLayout.FILLER, 1)),
        NO_TOKEN(test -> test.put(1, RingPair.ID, 0, 7, 1)),
        NO_TOKEN_IN_HEADER(test -> test.put(1, RingPair.ID, 7, 100, 1)),
        ID_OF_THE_APPLICATION(test -> test.put(1, 1, 0, 8, 1)),
        CONTROL_FRAME(test -> test.put(1, ReservedMessageIds.CONTROL, 0, 8, 1)),
        PAIRING(test -> test.put(1, ReservedMessageIds.PAIRING, 0, 8, 1)),
        RING_WITHIN_A_RING(test -> test.put(1, ReservedMessageIds.RINGS, 0, 9, 1)),
        HIGHEST_ID(test -> test.put(1, 0xFFFF, 0, 8, 1));

        private final Consumer<RingLinkTest> told;

        Lie(Consumer<RingLinkTest> told) {
            this.told = told;
        }
    }

    @ParameterizedTest
    @EnumSource
    void lieEndsTheConnectionsOfTheLinkAndNoOther(Lie lie) {
        Connection second = pair.here.connect(2);
        try (RingPair other = new RingPair()) {
            Connection honest = other.here.connect(1);
            other.there.connect(1).send(8, IGNORED);

            lie.told.accept(this);
            pair.here.link.poll(64);
            other.here.link.poll(64);

            assertThat(near.violation).isNotNull();
            assertThat(second.violation).isNotNull();
            assertThat(pair.here.link.isEnded()).isTrue();
            assertThat(pair.here.link.poll(64)).isZero();
            assertThat(pair.here.link.hasWork()).isFalse();
            assertThat(pair.received).isEmpty();
            assertThat(honest.violation).isNull();
            assertThat(other.received).hasSize(1);
        }
    }

    @Test
    void recordForNoConnectionIsDropped() {
        put(1, RingPair.ID, 0, 8, 4711);

        assertThat(pair.here.link.poll(64)).isOne();

        assertThat(near.violation).isNull();
        assertThat(pair.received).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, Long.MIN_VALUE, Long.MAX_VALUE, 1 << 20})
    void peerThatSaysItHasReadMoreLosesItsConnections(long lie) {
        // What a connection does whose close by force is done at once.
        near.whenViolated = () -> {
            near.carrier.close(CloseMode.FORCE, () -> { });
            near.carrier.connectionEnded(PeerProcess.UNKNOWN);
        };
        assertThat(near.fill(8)).isEqualTo(RingLayout.MIN_BYTES / RingLayout.SLOT_BYTES - 1);
        AtomicBoolean ended = new AtomicBoolean();
        assertEnds(ended);
        assertThat(ended).isFalse();

        pair.there.own.publish(RingLayout.READ_WORD, lie);
        pair.here.link.poll(64);

        assertThat(near.violation).isNotNull();
        assertThat(ended).isTrue();
        assertThat(near.carrier.inFlight()).isZero();
        near.send(8, IGNORED);
        assertThat(near.overEndpoint).as("refused by the endpoint, which is closed").hasSize(1);
    }

    /** It is a send that finds out. */
    @Test
    void messageThatMeetsALieEnds() {
        AtomicBoolean ended = new AtomicBoolean();
        near.whenViolated = () -> {
            near.carrier.close(CloseMode.FORCE, () -> { });
            near.carrier.connectionEnded(PeerProcess.UNKNOWN);
        };
        for (int i = 1; i < RingLayout.MIN_BYTES / RingLayout.SLOT_BYTES; i++) {
            assertThat(near.send(8, IGNORED)).isTrue();
        }

        pair.there.own.publish(RingLayout.READ_WORD, Long.MAX_VALUE);
        assertEnds(ended);

        assertThat(near.violation).isNotNull();
        assertThat(ended).isTrue();
        assertThat(near.carrier.inFlight()).isZero();
    }

    /** It is refused, or it ends with an error. */
    private void assertEnds(AtomicBoolean ended) {
        try {
            near.send(8, (status, length, tag) -> {
                assertThat(UcxStatus.of(status)).isNotEqualTo(UcxStatus.OK);
                ended.set(true);
            });
        } catch (UcxException e) {
            ended.set(true);
        }
    }

    /** The engine would go on and on in place of a sleep. */
    @Test
    void recordsOfConnectionsThatAreGoneAreNoWork() {
        pair.there.link.tellAsleep();
        near.send(8, IGNORED);
        near.carrier.connectionEnded(PeerProcess.UNKNOWN);
        pair.here.link.poll(64);
        pair.here.link.tellAsleep();

        assertThat(pair.here.link.hasWork()).isFalse();
    }

    /** The peer is stopped with a full ring. */
    @Test
    void fullRingIsNoWork() {
        near.fill(8);
        near.fill(1000);
        pair.here.link.poll(64);
        pair.here.link.tellAsleep();

        assertThat(pair.here.link.hasWork()).isFalse();
        assertThat(pair.here.own.word(RingLayout.WAIT_WORD)).isOne();
    }

    /** It sends again whenever it can. */
    @Test
    void connectionThatFillsTheRingKeepsNoOtherOut() {
        Connection modest = pair.here.connect(2);
        pair.there.connect(2);
        near.fill(1000);
        List<Integer> sentByGreedy = new ArrayList<>();
        Completion again = new Completion() {
            @Override
            public void complete(int status, long length, long tag) {
                sentByGreedy.add(status);
                if (sentByGreedy.size() < 20_000) {
                    near.send(1000, this);
                }
            }
        };
        for (int i = 0; i < RingPair.MAX_PENDING / 2; i++) {
            near.send(1000, again);
        }
        AtomicBoolean done = new AtomicBoolean();
        assertThat(modest.send(1000, (status, length, tag) -> done.set(true))).as("found room").isFalse();
        for (int i = 0; i < 10_000 && !done.get(); i++) {
            pair.there.link.poll(64);
            pair.here.link.poll(64);
        }

        assertThat(done).as("sent, when the other had sent %s", sentByGreedy.size()).isTrue();
        assertThat(sentByGreedy.size()).isLessThan(2000);
    }

    /** Small messages take each slot that gets free. */
    @Test
    void smallMessagesKeepNoLargeOneOut() {
        Connection large = pair.here.connect(2);
        pair.there.connect(2);
        near.fill(8);
        AtomicBoolean done = new AtomicBoolean();
        large.send(100_000, (status, length, tag) -> done.set(true));
        int small = 0;
        for (int i = 0; i < 1000 && !done.get(); i++) {
            pair.there.link.poll(64);
            try {
                while (near.send(8, IGNORED)) {
                    small++;
                }
            } catch (UcxException e) {
                assertThat(e.status()).isEqualTo(UcxStatus.NO_RESOURCE);
            }
            pair.here.link.poll(64);
        }

        assertThat(done).as("sent, after %s small ones", small).isTrue();
    }

    @Test
    void connectionsKeepTheirOrder() {
        List<Connection> all = new ArrayList<>(List.of(near));
        for (int token = 2; token <= 50; token++) {
            all.add(pair.here.connect(token));
            pair.there.connect(token);
        }
        int[] sent = new int[51];
        int[] seen = new int[51];
        for (int round = 0; round < 400; round++) {
            for (Connection each : all) {
                for (int i = 0; i < 3; i++) {
                    try {
                        each.send(8 + sent[(int) each.token] + 1, IGNORED);
                        sent[(int) each.token]++;
                    } catch (UcxException e) {
                        assertThat(e.status()).isEqualTo(UcxStatus.NO_RESOURCE);
                    }
                }
            }
            pair.there.link.poll(64);
            pair.here.link.poll(64);
            checkOrder(seen);
        }
        for (int i = 0; i < 10_000 && !Arrays.equals(sent, seen); i++) {
            pair.there.link.poll(64);
            pair.here.link.poll(64);
            checkOrder(seen);
        }
        assertThat(seen).isEqualTo(sent);
        assertThat(pair.here.counters.snapshot().waits()).isPositive();
    }

    private void checkOrder(int[] seen) {
        for (byte[] message : pair.received) {
            int token = (int) ByteBuffer.wrap(message).getLong();
            assertThat(message.length).as("connection %s", token).isEqualTo(8 + ++seen[token]);
        }
        pair.received.clear();
    }

    @Test
    void offerWithAnotherKeyLeavesNothingMapped() throws IOException {
        long before = mappings();
        SharedPages ring = pair.there.own;
        RingLink link = pair.here.link;
        for (int i = 0; i < 10; i++) {
            byte[] key = ring.key();
            key[i]++;
            RingPair.Side fresh = pair.new Side();
            long withOne = mappings();
            assertThat(fresh.link.map(new RingFrame(RingFrame.Type.OFFER, ring.descriptor(), RingLayout.MIN_BYTES, key,
                    new byte[SharedPages.KEY_BYTES]))).isFalse();
            assertThat(mappings()).isEqualTo(withOne);
            assertThat(fresh.link.map(RingFrame.offer(ring, null))).isTrue();
            fresh.link.close();
        }
        assertThat(link.bytes()).isEqualTo(2 * SharedPages.mappedBytes(RingLayout.MIN_BYTES));
        assertThat(mappings()).isEqualTo(before);
    }

    private static long mappings() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains("/memfd:reactor-ucx")).count();
        }
    }
}
