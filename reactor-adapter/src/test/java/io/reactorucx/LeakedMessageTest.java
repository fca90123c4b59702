package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.application.LeakingApplication;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.LeakDetection;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * Offered messages, and leases of fetched data, that the application loses: the sender goes on, the memory comes back.
 */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class LeakedMessageTest implements NeedsUcx {

    private static final int ID = 14;
    private static final int SIZE = 70_000;

    private final LeakLog told = new LeakLog();
    private Peers peers;

    private void connect(LeakDetection level) {
        peers = Peers.connect(Route.TCP_BY_SOCKET_ADDRESS, builder -> told.by(builder, level), UnaryOperator.identity(),
                UnaryOperator.identity());
    }

    @AfterEach
    void close() {
        if (peers != null) {
            peers.close();
        }
    }

    private PendingOperation offer() {
        return PendingOperation.of(peers.client().activeMessages()
                .send(ID, MemorySegment.NULL, Bytes.pattern(1, SIZE), AmProtocol.RENDEZVOUS));
    }

    private void awaitHeld(long count) {
        await().atMost(Waits.PATIENCE).untilAsserted(() -> {
            System.gc();
            assertThat(peers.serverResources().engines().getFirst().counters().heldMessages()).isEqualTo(count);
        });
    }

    @ParameterizedTest
    @EnumSource(value = LeakDetection.class, names = {"SIMPLE", "ADVANCED"})
    void lostOfferIsGivenUp(LeakDetection level) {
        connect(level);
        List<Long> seen = new CopyOnWriteArrayList<>();
        Disposable receiving = LeakingApplication.dropMessages(peers.served(), ID, seen::add);
        Waits.engineOf(peers.served());
        List<PendingOperation> sent = IntStream.range(0, 3).mapToObj(i -> offer()).toList();
        awaitHeld(0);

        sent.forEach(PendingOperation::assertDone);
        assertThat(seen).containsExactly((long) SIZE, (long) SIZE, (long) SIZE);
        assertThat(peers.serverResources().leakedMessages()).isEqualTo(3);
        assertThat(peers.serverResources().droppedMessages()).isZero();
        await().atMost(Waits.PATIENCE).until(() -> told.leaks().size() == 3);
        assertThat(told.leaks()).allSatisfy(leak -> {
            assertThat(leak.text()).contains("active message " + ID, SIZE + " bytes", peers.served().peer());
            if (level == LeakDetection.SIMPLE) {
                assertThat(leak.text()).contains("-Dreactorucx.leakDetection=advanced");
            } else {
                assertThat(leak.text()).contains(LeakingApplication.class.getName()
                        + ".dropMessages(LeakingApplication.java:");
            }
        });
        peers.assertWorks();
        receiving.dispose();
    }

    @Test
    void offersThatWaitOrAreFetchedAreNoLeaks() {
        connect(LeakDetection.SIMPLE);
        ManualDemandSubscriber subscriber = ManualDemandSubscriber.at(peers.served(), ID);
        List<PendingOperation> sent = IntStream.range(0, 3).mapToObj(i -> offer()).toList();
        awaitHeld(3);
        subscriber.request(2);
        await().atMost(Waits.PATIENCE).until(() -> subscriber.count() == 2);
        Bytes.assertSame(Bytes.of(subscriber.received().getFirst()), Bytes.pattern(1, SIZE));
        subscriber.received().getLast().discard();
        sent.get(0).assertDone();
        sent.get(1).assertDone();
        subscriber.received().clear();
        LeakLog.awaitLeased(peers.serverResources().buffers(), 0);
        awaitHeld(1);
        sent.get(2).assertPending();
        subscriber.cancel();
        sent.get(2).assertDone();
        assertThat(peers.serverResources().leakedMessages()).isZero();
    }

    @Test
    void nothingIsLookedAtWhenDisabled() {
        connect(LeakDetection.DISABLED);
        List<Long> seen = new CopyOnWriteArrayList<>();
        Disposable receiving = LeakingApplication.dropMessages(peers.served(), ID, seen::add);
        Waits.engineOf(peers.served());
        PendingOperation sent = offer();
        await().atMost(Waits.PATIENCE).until(() -> seen.size() == 1);
        System.gc();
        sent.assertPending();
        receiving.dispose();
        peers.served().close().block(Waits.PATIENCE);
        assertThat(peers.serverResources().leakedMessages()).isZero();
    }

    @Test
    void placeOfAFetchIsWhereItWasAskedFor() {
        connect(LeakDetection.ADVANCED);
        Inbox inbox = Inbox.of(peers.served(), ID);
        PendingOperation sent = offer();
        assertThat(LeakingApplication.fetchAndDrop(inbox.next(), peers.serverResources().buffers())
                .block(Waits.PATIENCE)).isEqualTo(SIZE);
        sent.assertDone();
        LeakLog.awaitLeased(peers.serverResources().buffers(), 0);
        assertThat(peers.serverResources().buffers().leakedLeases()).isEqualTo(1);
        await().atMost(Waits.PATIENCE).until(() -> told.leaks().size() == 1);
        assertThat(told.leaks().getFirst().text()).contains(LeakingApplication.class.getName()
                + ".subscribe(LeakingApplication.java:");
        inbox.cancel();
    }

    /** UCX uses a segment of a lease that has become unreachable itself. */
    @Test
    void memoryThatUcxSendsIsNotTakenBack() {
        connect(LeakDetection.ADVANCED);
        UcxBufferPool pool = peers.clientResources().buffers();
        Inbox inbox = Inbox.of(peers.served(), ID);
        PendingOperation sent = sendDropped(pool);
        ActiveMessage offer = inbox.next();
        LeakLog.awaitCollection(pool);
        assertThat(pool.leases()).as("UCX has it").isEqualTo(1);
        sent.assertPending();

        Bytes.assertSame(Bytes.of(offer), Bytes.pattern(5, SIZE));
        sent.assertDone();
        sent = null;
        LeakLog.awaitLeased(pool, 0);
        Reference.reachabilityFence(offer);
        inbox.cancel();
    }

    private PendingOperation sendDropped(UcxBufferPool pool) {
        MemorySegment segment = Bytes.fill(pool.acquire(SIZE).segment(), 5);
        return PendingOperation.of(peers.client().activeMessages()
                .send(ID, MemorySegment.NULL, segment, AmProtocol.RENDEZVOUS));
    }

    /**
     * What the last subscriber drops, because it has cancelled before the delivery reaches it, comes back without a
     * hook.
     */
    @Test
    void leaseThatACancelledSubscriberDropsComesBack() {
        connect(LeakDetection.ADVANCED);
        Inbox inbox = Inbox.of(peers.served(), ID);
        UcxBufferPool pool = peers.serverResources().buffers();
        for (int i = 0; i < 5; i++) {
            PendingOperation sent = offer();
            AtomicBoolean consumed = new AtomicBoolean();
            Disposable.Swap fetching = Disposables.swap();
            CompletableFuture<Void> subscribed = new CompletableFuture<>();
            fetching.update(inbox.next().fetch(pool).doOnNext(lease -> {
                Waits.get(subscribed);
                fetching.dispose();
            }).subscribe(lease -> consumed.set(true)));
            subscribed.complete(null);
            sent.assertDone();
            Waits.engineOf(peers.served());
            assertThat(consumed).isFalse();
        }
        LeakLog.awaitLeased(pool, 0);
        assertThat(pool.leakedLeases()).isEqualTo(5);
        inbox.cancel();
        peers.assertWorks();
    }
}
