package io.reactorucx.transport.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.reactorucx.core.Ucx;
import io.reactorucx.core.UcpConfig;
import io.reactorucx.core.UcpContext;
import io.reactorucx.core.shm.ProcessIdentity;
import io.reactorucx.core.shm.SharedPages;
import io.reactorucx.engine.EngineConfig;
import io.reactorucx.engine.EngineObserver;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.testsupport.TestTime;
import io.reactorucx.transport.buffer.MappedMemory;
import io.reactorucx.transport.handshake.FairLimit;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What rings hold: within their limits, and nothing once they are given up, whatever peers have offered. */
class RingLinksTest {

    private static final int BYTES = RingLayout.MIN_BYTES;
    private static final long MAPPED_BYTES = SharedPages.mappedBytes(BYTES);
    private static final ProcessIdentity SELF = ProcessIdentity.self();
    private static final byte[] NO_KEY = new byte[SharedPages.KEY_BYTES];

    private final MappedMemory limit = new MappedMemory(8 * MAPPED_BYTES);
    private final RingCounters counters = new RingCounters();
    /** The other side's ring. */
    private final Arena arena = Arena.ofConfined();
    private long before;
    private UcpContext context;
    private ProgressEngine engine;
    private RingLinks links;

    @BeforeEach
    void open() throws IOException {
        assumeThat(Ucx.isAvailable()).isTrue();
        before = rings();
        context = UcpContext.create(UcpConfig.builder().transports("tcp").build());
        engine = new ProgressEngine(context, EngineConfig.of("reactor-ucx-test"), 0, EngineObserver.NONE);
        engine.step(false, 0);
        links = new RingLinks(engine, engine::pollBeside, BYTES, limit,
                new FairLimit(8 * MAPPED_BYTES, 4 * MAPPED_BYTES), counters, Duration.ofMillis(1));
    }

    @AfterEach
    void close() throws IOException {
        if (engine != null) {
            engine.closeAsync();
            stepUntil(engine::isClosed);
            context.close();
            arena.close();
            assertThat(limit.bytes()).isZero();
            assertThat(rings()).isEqualTo(before);
        }
    }

    private void stepUntil(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TestTime.seconds(20).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline).isNegative();
            engine.step(false, 0);
        }
    }

    /** The rings that this process has open, and those that it has mapped. */
    private static long rings() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"));
                Stream<String> mapped = Files.lines(Path.of("/proc/self/maps"))) {
            return open.filter(RingLinksTest::isRing).count()
                    + mapped.filter(line -> line.contains("/memfd:reactor-ucx")).count();
        }
    }

    private static boolean isRing(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("/memfd:reactor-ucx");
        } catch (IOException e) {
            return false; // It was closed meanwhile.
        }
    }

    private SharedPages ring() {
        return Objects.requireNonNull(SharedPages.allocate(BYTES, arena));
    }

    private RingLink link() {
        return Objects.requireNonNull(links.open(1, SELF));
    }

    @Test
    void enginesOfAPeerHaveOnePairEach() {
        RingLink link = link();
        assertThat(links.open(1, SELF)).isSameAs(link);
        assertThat(links.open(2, SELF)).isNotSameAs(link);
        assertThat(counters.snapshot().pairs()).isEqualTo(2);
        assertThat(limit.bytes()).isEqualTo(2 * MAPPED_BYTES);
        assertThat(links.open(1, new ProcessIdentity(SELF.namespace(), 1))).as("of another process")
                .isNotNull().isNotSameAs(link);
    }

    /** What the limit counts is what the system has mapped. */
    @Test
    void limitCountsWholeMappings() throws IOException {
        long mappedBefore = mappedBytes();
        RingLink link = link();
        assertThat(mappedBytes() - mappedBefore).isEqualTo(limit.bytes()).isPositive();
        SharedPages ofPeer = ring();
        mappedBefore = mappedBytes();
        long counted = limit.bytes();

        assertThat(links.map(link, RingFrame.offer(ofPeer, null))).isTrue();

        assertThat(mappedBytes() - mappedBefore).isEqualTo(limit.bytes() - counted).isPositive();
    }

    private static long mappedBytes() throws IOException {
        try (Stream<String> mapped = Files.lines(Path.of("/proc/self/maps"))) {
            return mapped.filter(line -> line.contains("/memfd:reactor-ucx")).map(line -> line.split("[- ]"))
                    .mapToLong(range -> Long.parseLong(range[1], 16) - Long.parseLong(range[0], 16)).sum();
        }
    }

    @Test
    void peerHasItsShareAndNoMore() {
        for (int worker = 0; worker < 4; worker++) {
            assertThat(links.open(worker, SELF)).isNotNull();
        }
        assertThat(links.open(4, SELF)).isNull();
        assertThat(links.map(Objects.requireNonNull(links.open(0, SELF)), RingFrame.offer(ring(), null))).isFalse();
        assertThat(links.open(4, new ProcessIdentity(SELF.namespace(), 1))).as("of another process").isNotNull();
        assertThat(limit.bytes()).isEqualTo(4 * MAPPED_BYTES);
    }

    @Test
    void unusedPairIsGivenUp() {
        RingLink link = link();
        assertThat(links.map(link, RingFrame.offer(ring(), null))).isTrue();
        assertThat(limit.bytes()).isEqualTo(2 * MAPPED_BYTES);

        stepUntil(() -> limit.bytes() == 0);

        assertThat(counters.snapshot().pairs()).isZero();
        assertThat(link.isEnded()).isTrue();
        assertThat(link.poll(64)).isZero();
        assertThat(link.awaitRead(() -> { })).isFalse();
        assertThat(link()).isNotSameAs(link);
    }

    @Test
    void falseOffersMapNothing() throws IOException {
        SharedPages honest = ring();
        long mapped = rings();
        Random random = new Random(1);
        for (int i = 0; i < 500; i++) {
            byte[] key = honest.key();
            int descriptor = honest.descriptor();
            int bytes = BYTES;
            switch (i % 4) {
                case 0 -> key[random.nextInt(key.length)]++;
                case 1 -> descriptor += 1 + random.nextInt(100);
                case 2 -> descriptor = random.nextInt() | Integer.MIN_VALUE;
                default -> bytes = random.nextBoolean() ? random.nextInt() | 1 : BYTES << random.nextInt(1, 8);
            }
            assertThat(links.map(link(), new RingFrame(RingFrame.Type.OFFER, descriptor, bytes, key, NO_KEY)))
                    .as("descriptor %s, %s bytes", descriptor, bytes).isFalse();
            assertThat(limit.bytes()).isZero();
            assertThat(rings()).isEqualTo(mapped);
        }
        RingLink link = link();
        assertThat(links.map(link, RingFrame.offer(honest, null))).as("an honest offer afterwards").isTrue();
    }

    /** The peer has given its ring up, or offers another one: the next pair is new. */
    @Test
    void otherOfferForAKnownPairIsDeclined() {
        RingLink link = link();
        SharedPages first = ring();
        assertThat(links.map(link, RingFrame.offer(first, null))).isTrue();
        assertThat(links.map(link, RingFrame.offer(first, link.own()))).as("the same again").isTrue();
        assertThat(limit.bytes()).isEqualTo(2 * MAPPED_BYTES);

        assertThat(links.map(link, RingFrame.offer(ring(), link.own()))).isFalse();

        assertThat(link.isEnded()).as("no connection has joined").isTrue();
        assertThat(link()).isNotSameAs(link);
    }

    @Test
    void offerForAnotherRingIsDeclined() {
        RingLink link = link();

        assertThat(links.map(link, RingFrame.offer(ring(), ring()))).isFalse();

        assertThat(link.isEnded()).isTrue();
        assertThat(limit.bytes()).isZero();
    }
}
