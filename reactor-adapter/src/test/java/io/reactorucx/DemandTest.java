package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.DropReason;
import io.reactorucx.transport.OverflowPolicy;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.test.StepVerifier;

/** What is received, and what is not: demand, the bounds of the queue, one subscriber at a time. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(names = {"POSIX_BY_SOCKET_ADDRESS", "TCP_BY_SOCKET_ADDRESS"})
class DemandTest implements NeedsUcx {

    private static final int ID = 11;

    @Parameter
    private Route route;
    private Peers peers;

    @AfterEach
    void close() {
        if (peers != null) {
            peers.close();
        }
    }

    private void connect(int queueMessages, long queueBytes, OverflowPolicy policy) {
        peers = Peers.connect(route, UnaryOperator.identity(), server ->
                server.receiveQueue(queueMessages, queueBytes, policy),
                UnaryOperator.identity());
    }

    private void send(int from, int to) {
        for (int i = from; i < to; i++) {
            peers.client().activeMessages().send(ID, new byte[] {(byte) i}).block(Waits.PATIENCE);
        }
        allHaveArrived();
    }

    /** What is sent later has arrived. */
    private void allHaveArrived() {
        peers.assertWorks();
    }

    private void awaitCount(ManualDemandSubscriber subscriber, int count) {
        await().atMost(Waits.PATIENCE).until(() -> subscriber.count() >= count);
        Waits.engineOf(peers.served());
        assertThat(subscriber.count()).isEqualTo(count);
    }

    private PendingOperation offer() {
        return PendingOperation.of(peers.client().activeMessages()
                .send(ID, MemorySegment.NULL, Bytes.pattern(1, 100_000), AmProtocol.RENDEZVOUS));
    }

    private void awaitHeld(long held) {
        await().atMost(Waits.PATIENCE).untilAsserted(() ->
                assertThat(peers.serverResources().engines().getFirst().counters().heldMessages()).isEqualTo(held));
    }

    @Test
    void exactlyWhatIsAskedForIsDelivered() {
        connect(1024, Bytes.MIB, OverflowPolicy.ERROR);
        ManualDemandSubscriber subscriber = ManualDemandSubscriber.at(peers.served(), ID);
        send(0, 10);
        awaitCount(subscriber, 0);

        subscriber.request(3);
        awaitCount(subscriber, 3);
        subscriber.request(1);
        subscriber.request(1);
        awaitCount(subscriber, 5);
        subscriber.requestUnbounded();
        awaitCount(subscriber, 10);
        send(10, 12);
        awaitCount(subscriber, 12);

        assertThat(subscriber.firstBytes()).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
        assertThat(peers.serverResources().droppedMessages()).isZero();
    }

    @Test
    void demandAheadOfMessagesIsKept() {
        connect(1024, Bytes.MIB, OverflowPolicy.ERROR);
        ManualDemandSubscriber subscriber = ManualDemandSubscriber.at(peers.served(), ID);
        subscriber.request(2);
        send(0, 3);
        awaitCount(subscriber, 2);
        subscriber.request(1);
        awaitCount(subscriber, 3);
    }

    @Test
    void offersWaitWithTheSenderUntilTheyAreAskedFor() {
        connect(1024, Bytes.MIB, OverflowPolicy.ERROR);
        ManualDemandSubscriber subscriber = ManualDemandSubscriber.at(peers.served(), ID);
        List<PendingOperation> sent = List.of(offer(), offer(), offer());
        awaitHeld(3);

        subscriber.request(1);
        awaitCount(subscriber, 1);
        sent.forEach(PendingOperation::assertPending);
        Bytes.assertSame(Bytes.of(subscriber.received().getFirst()), Bytes.pattern(1, 100_000));
        sent.getFirst().assertDone();
        awaitHeld(2);

        subscriber.cancel();
        sent.forEach(PendingOperation::assertDone);
        awaitHeld(0);
    }

    @Test
    void fullQueueEndsTheFluxWithAnErrorAfterWhatWaited() {
        connect(4, Bytes.MIB, OverflowPolicy.ERROR);
        ManualDemandSubscriber subscriber = ManualDemandSubscriber.at(peers.served(), ID);
        send(0, 6);
        assertThat(subscriber.error()).isNull();

        subscriber.request(4);
        await().atMost(Waits.PATIENCE).until(() -> subscriber.error() != null);
        assertThat(subscriber.firstBytes()).containsExactly(0, 1, 2, 3);
        assertThat(subscriber.error()).isInstanceOfSatisfying(UcxException.class, error -> {
            assertThat(error.status()).isEqualTo(UcxStatus.EXCEEDS_LIMIT);
            assertThat(error.isConnectionLost()).isFalse();
            assertThat(error.peer()).isEqualTo(peers.served().peer());
        });
        assertThat(peers.serverResources().droppedMessages()).isEqualTo(2);
        assertThat(peers.serverResources().droppedMessages(DropReason.OVERFLOW_ERROR)).isEqualTo(1);
        assertThat(peers.serverResources().droppedMessages(DropReason.NO_RECEIVER)).as("after the end").isEqualTo(1);

        Inbox next = Inbox.of(peers.served(), ID);
        send(7, 8);
        assertThat(Bytes.array(next.next().data())).containsExactly(7);
    }

    @Test
    void fullQueueDropsTheNewestAndCounts() {
        connect(4, Bytes.MIB, OverflowPolicy.DROP_NEWEST);
        ManualDemandSubscriber subscriber = ManualDemandSubscriber.at(peers.served(), ID);
        send(0, 10);
        assertThat(peers.serverResources().droppedMessages()).isEqualTo(6);
        assertThat(peers.serverResources().droppedMessages(DropReason.OVERFLOW_DROP_NEWEST)).isEqualTo(6);

        subscriber.requestUnbounded();
        awaitCount(subscriber, 4);
        send(20, 22);
        awaitCount(subscriber, 6);
        assertThat(subscriber.firstBytes()).containsExactly(0, 1, 2, 3, 20, 21);
        assertThat(peers.serverResources().droppedMessages()).isEqualTo(6);
        assertThat(subscriber.error()).isNull();
    }

    @Test
    void bytesAreBoundedToo() {
        connect(1000, 10_000, OverflowPolicy.DROP_NEWEST);
        ManualDemandSubscriber subscriber = ManualDemandSubscriber.at(peers.served(), ID);
        for (int i = 0; i < 5; i++) {
            peers.client().activeMessages().send(ID, MemorySegment.NULL, Bytes.pattern(i, 4000), AmProtocol.EAGER)
                    .block(Waits.PATIENCE);
        }
        allHaveArrived();
        assertThat(peers.serverResources().droppedMessages()).isEqualTo(3);

        subscriber.request(1);
        awaitCount(subscriber, 1);
        peers.client().activeMessages().send(ID, MemorySegment.NULL, Bytes.pattern(9, 4000), AmProtocol.EAGER)
                .block(Waits.PATIENCE);
        allHaveArrived();
        subscriber.requestUnbounded();
        awaitCount(subscriber, 3);
        Bytes.assertSame(subscriber.received().get(1).data(), Bytes.pattern(1, 4000));
        Bytes.assertSame(subscriber.received().get(2).data(), Bytes.pattern(9, 4000));
        assertThat(peers.serverResources().droppedMessages()).isEqualTo(3);
    }

    @Test
    void offersPastTheBoundAreGivenUp() {
        connect(2, Bytes.MIB, OverflowPolicy.DROP_NEWEST);
        ManualDemandSubscriber subscriber = ManualDemandSubscriber.at(peers.served(), ID);
        List<PendingOperation> sent = List.of(offer(), offer(), offer(), offer());

        sent.get(2).assertDone();
        sent.get(3).assertDone();
        awaitHeld(2);
        assertThat(peers.serverResources().droppedMessages()).isEqualTo(2);
        subscriber.cancel();
        sent.forEach(PendingOperation::assertDone);
        awaitHeld(0);
    }

    @Test
    void secondSubscriberIsRefusedAndTheFirstGoesOn() {
        connect(1024, Bytes.MIB, OverflowPolicy.ERROR);
        Inbox first = Inbox.of(peers.served(), ID);

        StepVerifier.create(peers.served().activeMessages().receive(ID)).expectErrorSatisfies(error -> assertThat(error)
                .isInstanceOf(IllegalStateException.class).hasMessageContaining(Integer.toString(ID)))
                .verify(Waits.PATIENCE);

        send(1, 2);
        assertThat(Bytes.array(first.next().data())).containsExactly(1);
    }

    @Test
    void nextSubscriberTakesOverAfterACancel() {
        connect(1024, Bytes.MIB, OverflowPolicy.ERROR);
        ManualDemandSubscriber first = ManualDemandSubscriber.at(peers.served(), ID);
        send(1, 3);
        first.cancel();
        Inbox second = Inbox.of(peers.served(), ID);
        send(3, 4);

        assertThat(Bytes.array(second.next().data())).as("what waited for the first is gone").containsExactly(3);
        assertThat(second.size()).isZero();
    }

    @Test
    void subscriberMayLeaveWhileItIsGivenAMessage() {
        connect(1024, Bytes.MIB, OverflowPolicy.ERROR);
        for (int round = 0; round < 3; round++) {
            PendingOperation taken = PendingOperation.of(peers.served().activeMessages().receive(ID).take(1).then());
            Waits.engineOf(peers.served());
            send(0, 2);
            taken.assertDone();
        }
        assertThat(peers.serverResources().droppedMessages()).isEqualTo(3);
    }

    @Test
    void whatWaitedIsDeliveredAfterTheEndToo() {
        connect(1024, Bytes.MIB, OverflowPolicy.ERROR);
        ManualDemandSubscriber subscriber = ManualDemandSubscriber.at(peers.served(), ID);
        send(0, 3);
        peers.client().close().block(Waits.PATIENCE);
        peers.served().onDispose().block(Waits.PATIENCE);
        assertThat(subscriber.completed()).isFalse();

        subscriber.request(3);
        await().atMost(Waits.PATIENCE).until(() -> subscriber.completed());
        assertThat(subscriber.firstBytes()).containsExactly(0, 1, 2);
    }

    @Test
    void subscriberMaySubscribeAgainWithinASignal() {
        connect(10, 1000, OverflowPolicy.ERROR);
        CompletableFuture<Void> again = new CompletableFuture<>();
        CompletableFuture<ActiveMessage> second = peers.served().activeMessages().receive(ID).next().flatMap(first ->
                peers.served().activeMessages().receive(ID).next().doOnSubscribe(ignored -> again.complete(null)))
                .toFuture();
        Waits.engineOf(peers.served());

        peers.client().activeMessages().send(ID, new byte[] {1}).block(Waits.PATIENCE);
        Waits.get(again);
        Waits.engineOf(peers.served());
        peers.client().activeMessages().send(ID, new byte[] {2}).block(Waits.PATIENCE);

        assertThat(Bytes.array(Waits.get(second).data())).containsExactly(2);
    }
}
