package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.UcxArena;
import io.reactorucx.engine.EngineConfig;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.memory.ServedMemoryConfig;
import io.reactorucx.memory.UcxMemoryWindow;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Thousands of requests for memory that wait for their turn, while other operations have all slots of theirs, or when
 * they cannot go any more.
 */
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(names = {"POSIX_BY_SOCKET_ADDRESS", "TCP_BY_SOCKET_ADDRESS"})
class MemoryClientTest implements NeedsUcx {

    private static final int SLOTS = 8;
    /** So many are served at once. */
    private static final int SERVED = 8;
    private static final int WAITING = 4000;
    private static final int SIZE = 64;

    @Parameter
    private Route route;
    private Peers peers;
    private MemorySegment memory;
    private UcxMemoryWindow window;
    private RemoteMemory remote;

    @BeforeEach
    void connect() {
        assumeUcx();
        ServedMemoryConfig few = ServedMemoryConfig.DEFAULT.withMaxRequests(SERVED).withMaxQueuedRequests(WAITING);
        peers = Peers.connect(route, builder -> builder.engineConfig(EngineConfig.of("reactor-ucx-few")
                .withLimits(2 * WAITING, SLOTS))
                .remoteMemoryAccess(false).remoteAtomics(false).servedMemory(few).maxBufferBytes(64L << 20),
                UnaryOperator.identity(),
                UnaryOperator.identity());
        memory = Bytes.pattern(1, SIZE);
        window = peers.serverResources().exportMemory(memory, EnumSet.allOf(MemoryRight.class));
        remote = peers.client().memory(window.descriptor());
        // With a reply comes how many the owner serves at once.
        remote.get(0, Bytes.zeroed(SIZE)).block(Waits.PATIENCE);
    }

    @AfterEach
    void close() {
        if (peers != null) {
            window.revoke().block(Waits.PATIENCE);
            peers.close();
        }
    }

    @Test
    void thoseThatWaitForTheOwnerDoNotWaitForSlotsOfOtherOperations() {
        CountDownLatch gate = BusyEngine.of(peers.served());
        List<CompletableFuture<UcxBuffer>> reads = new ArrayList<>();
        for (int i = 0; i < SERVED + WAITING; i++) {
            reads.add(remote.getFlux(0, SIZE, SIZE, 1).single().toFuture());
        }
        List<PendingOperation> slots = new ArrayList<>();
        for (int i = 0; i < SLOTS; i++) {
            slots.add(PendingOperation.of(peers.client().tags().receive(i, Bytes.zeroed(8))));
        }
        Waits.engineOf(peers.client());
        gate.countDown();

        for (CompletableFuture<UcxBuffer> each : reads) {
            UcxBuffer read = Waits.get(each);
            Bytes.assertSame(read.segment(), memory);
            read.release();
        }
        slots.forEach(PendingOperation::assertPending);
        slots.forEach(PendingOperation::cancel);
    }

    @Test
    void thoseWhoseMemoryIsGoneFailEachByItself() {
        CountDownLatch gate = BusyEngine.of(peers.served());
        List<PendingOperation> writes = new ArrayList<>();
        List<PendingOperation> gone = new ArrayList<>();
        for (int i = 0; i < SERVED; i++) {
            writes.add(PendingOperation.of(remote.put(0, Bytes.pattern(2, SIZE))));
        }
        try (UcxArena arena = UcxArena.ofShared()) {
            for (int i = 0; i < WAITING; i++) {
                gone.add(PendingOperation.of(remote.put(0, arena.allocate(SIZE))));
            }
            Waits.engineOf(peers.client());
        }
        gate.countDown();

        writes.forEach(PendingOperation::assertDone);
        gone.forEach(write -> assertThat(write.failure()).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is closed"));
        Bytes.assertSame(memory, Bytes.pattern(2, SIZE));
        remote.put(0, Bytes.pattern(3, SIZE)).block(Waits.PATIENCE);
        await().atMost(Waits.PATIENCE).until(() -> peers.clientResources().engines().getFirst().counters()
                .inFlight() == 0);
    }
}
