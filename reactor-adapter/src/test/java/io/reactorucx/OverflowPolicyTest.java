package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.DropReason;
import io.reactorucx.transport.OverflowPolicy;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What goes when a receiver's queue is full: each policy, by count and by bytes, for data and for offers, with its
 * count.
 */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(names = {"POSIX_BY_SOCKET_ADDRESS", "TCP_BY_SOCKET_ADDRESS"})
class OverflowPolicyTest implements NeedsUcx {

    private static final int ID = 12;
    private static final int OFFERED = 50_000;

    @Parameter
    private Route route;
    private Peers peers;
    private ManualDemandSubscriber subscriber;
    private final List<PendingOperation> offers = new ArrayList<>();

    private void connect(UnaryOperator<UcxServer> queue) {
        peers = Peers.connect(route, UnaryOperator.identity(), queue, UnaryOperator.identity());
        subscriber = ManualDemandSubscriber.at(peers.served(), ID);
    }

    @AfterEach
    void nothingIsHeldAfterACancel() {
        if (peers != null) {
            subscriber.cancel();
            subscriber.received().forEach(ActiveMessage::discard);
            offers.forEach(PendingOperation::assertDone);
            awaitHeld(0);
            peers.close();
        }
    }

    /** Data that has arrived before anything that is sent later. */
    private void send(int number, int bytes) {
        MemorySegment payload = Bytes.zeroed(bytes).fill((byte) number);
        peers.client().activeMessages().send(ID, MemorySegment.NULL, payload, AmProtocol.EAGER).block(Waits.PATIENCE);
        peers.assertWorks();
    }

    /** An offer, which arrives before anything that is sent later. */
    private PendingOperation offer() {
        long before = held() + dropped();
        PendingOperation sent = PendingOperation.of(peers.client().activeMessages()
                .send(ID, MemorySegment.NULL, Bytes.pattern(offers.size(), OFFERED),
                AmProtocol.RENDEZVOUS));
        offers.add(sent);
        await().atMost(Waits.PATIENCE).until(() -> held() + dropped() > before);
        return sent;
    }

    private long held() {
        return peers.serverResources().engines().getFirst().counters().heldMessages();
    }

    private long dropped() {
        return peers.serverResources().droppedMessages();
    }

    private void awaitHeld(long count) {
        await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(held()).isEqualTo(count));
    }

    private void assertDropped(DropReason reason, long count) {
        peers.assertWorks();
        Map<DropReason, Long> counts = new EnumMap<>(DropReason.class);
        for (DropReason each : DropReason.values()) {
            counts.put(each, peers.serverResources().droppedMessages(each));
        }
        counts.values().removeIf(each -> each == 0);
        assertThat(counts).isEqualTo(count == 0 ? Map.of() : Map.of(reason, count));
        assertThat(dropped()).isEqualTo(count);
    }

    private void awaitReceived(int count) {
        subscriber.requestUnbounded();
        await().atMost(Waits.PATIENCE).until(() -> subscriber.count() >= count);
        Waits.engineOf(peers.served());
        assertThat(subscriber.count()).isEqualTo(count);
    }

    @Test
    void oldestGoesWhenTheCountIsReached() {
        connect(server -> server.receiveQueue(4, Bytes.MIB, OverflowPolicy.DROP_OLDEST));
        for (int i = 0; i < 10; i++) {
            send(i, 1);
        }
        assertDropped(DropReason.OVERFLOW_DROP_OLDEST, 6);
        subscriber.request(1);
        await().atMost(Waits.PATIENCE).until(() -> subscriber.count() == 1);
        send(10, 1);
        assertDropped(DropReason.OVERFLOW_DROP_OLDEST, 6);
        awaitReceived(5);
        assertThat(subscriber.firstBytes()).containsExactly(6, 7, 8, 9, 10);
    }

    @Test
    void asManyOfTheOldestGoAsTheBytesOfTheNewOneNeed() {
        connect(server -> server.receiveQueue(100, 5000, OverflowPolicy.DROP_OLDEST));
        for (int i = 0; i < 5; i++) {
            send(i, 1000);
        }
        assertDropped(DropReason.OVERFLOW_DROP_OLDEST, 0);
        send(5, 2500);
        assertDropped(DropReason.OVERFLOW_DROP_OLDEST, 3);
        send(6, 6000);
        assertDropped(DropReason.OVERFLOW_DROP_OLDEST, 6);
        awaitReceived(1);
        assertThat(subscriber.firstBytes()).as("larger than the bound, but alone").containsExactly(6);
    }

    @Test
    void oldestOffersAreGivenUpAndTheirSendersGoOn() {
        connect(server -> server.receiveQueue(2, Bytes.MIB, OverflowPolicy.DROP_OLDEST));
        PendingOperation first = offer();
        PendingOperation second = offer();
        first.assertPending();
        PendingOperation third = offer();
        first.assertDone();
        send(1, 1);
        assertDropped(DropReason.OVERFLOW_DROP_OLDEST, 2);
        second.assertDone();
        third.assertPending();
        awaitReceived(2);
        Bytes.assertSame(Bytes.of(subscriber.received().getFirst()), Bytes.pattern(2, OFFERED));
        assertThat(subscriber.received().getLast().hasData()).isTrue();
    }

    @Test
    void heldOffersWaitBesideAFullQueue() {
        connect(server -> server.receiveQueue(2, Bytes.MIB, OverflowPolicy.HOLD).maxHeldOffers(3));
        for (int i = 0; i < 3; i++) {
            send(i, 1);
            offer();
        }
        assertDropped(DropReason.OVERFLOW_HOLD, 1);
        awaitHeld(3);
        offers.forEach(PendingOperation::assertPending);

        offer().assertDone();
        assertDropped(DropReason.OVERFLOW_HOLD, 2);
        awaitHeld(3);
        awaitReceived(5);
        assertThat(subscriber.received()).extracting(ActiveMessage::isRendezvous).as("in their order")
                .containsExactly(false, true, false, true, true);
        List<ActiveMessage> held = subscriber.received().stream().filter(ActiveMessage::isRendezvous).toList();
        for (int i = 0; i < 3; i++) {
            Bytes.assertSame(Bytes.of(held.get(i)), Bytes.pattern(i, OFFERED));
            offers.get(i).assertDone();
        }
        assertThat(subscriber.error()).isNull();
    }

    @Test
    void placesOfHeldOffersBecomeFree() {
        connect(server -> server.maxHeldOffers(2).receiveQueue(1, 100, OverflowPolicy.HOLD));
        for (int round = 0; round < 3; round++) {
            offer();
            offer();
            int before = subscriber.count();
            subscriber.request(2);
            await().atMost(Waits.PATIENCE).until(() -> subscriber.count() == before + 2);
        }
        assertDropped(DropReason.OVERFLOW_HOLD, 0);
        assertThat(held()).as("the application has them").isEqualTo(6);
        offer();
        offer();
        offer().assertDone();
        assertDropped(DropReason.OVERFLOW_HOLD, 1);
    }

    @Test
    void bytesOfOtherMessagesAreBoundedWhileOffersAreHeld() {
        connect(server -> server.receiveQueue(100, 5000, OverflowPolicy.HOLD));
        offer();
        for (int i = 0; i < 4; i++) {
            send(i, 2000);
        }
        assertDropped(DropReason.OVERFLOW_HOLD, 2);
        awaitReceived(3);
    }

    @Test
    void cancelGivesUpWhatWaits() {
        connect(server -> server.receiveQueue(1, 100, OverflowPolicy.HOLD));
        PendingOperation first = offer();
        PendingOperation second = offer();
        send(1, 1);
        first.assertPending();
        subscriber.cancel();
        first.assertDone();
        second.assertDone();
        awaitHeld(0);
        assertDropped(DropReason.OVERFLOW_HOLD, 0);
    }
}
