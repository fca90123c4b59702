package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.DropReason;
import io.reactorucx.transport.OverflowPolicy;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Active messages that come before the first receiver of their id, and those that nobody receives at all. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(names = {"POSIX_BY_SOCKET_ADDRESS", "TCP_BY_SOCKET_ADDRESS", "POSIX_BY_WORKER_ADDRESS"})
class UnclaimedMessagesTest implements NeedsUcx {

    private static final int ID = 7;
    private static final MemorySegment HEADER = MemorySegment.ofArray(new byte[] {9, 8, 7});
    private static final int LARGE = 100_000;

    @Parameter
    private Route route;
    private Peers peers;

    private void connect(UnaryOperator<UcxServer> settings) {
        peers = Peers.connect(route, UnaryOperator.identity(), settings, UnaryOperator.identity());
    }

    @AfterEach
    void close() {
        if (peers != null) {
            peers.close();
        }
    }

    private PendingOperation send(int id, int number, int bytes, AmProtocol protocol) {
        return PendingOperation.of(peers.client().activeMessages().send(id, HEADER, Bytes.pattern(number, bytes),
                protocol));
    }

    /** Sends an offer, which has arrived when this returns. */
    private PendingOperation offer(int number) {
        long before = held() + dropped();
        PendingOperation sent = send(ID, number, LARGE, AmProtocol.RENDEZVOUS);
        await().atMost(Waits.PATIENCE).until(() -> held() + dropped() > before);
        return sent;
    }

    private long held() {
        return peers.serverResources().engines().getFirst().counters().heldMessages();
    }

    private long dropped() {
        return peers.serverResources().droppedMessages();
    }

    private long dropped(DropReason reason) {
        return peers.serverResources().droppedMessages(reason);
    }

    private static void assertRefused(PendingOperation sent) {
        assertThat(sent.failure()).isInstanceOfSatisfying(UcxException.class,
                error -> assertThat(error.status()).isEqualTo(UcxStatus.REJECTED));
    }

    @ParameterizedTest
    @EnumSource(AmProtocol.class)
    void messageWaitsForTheFirstReceiverOfItsId(AmProtocol protocol) {
        connect(UnaryOperator.identity());
        PendingOperation small = send(ID, 1, 3, protocol);
        PendingOperation large = send(ID, 2, LARGE, protocol);
        peers.assertWorks();
        if (protocol == AmProtocol.RENDEZVOUS) {
            await().atMost(Waits.PATIENCE).until(() -> held() == 2);
            small.assertPending();
            large.assertPending();
        }

        Inbox inbox = Inbox.of(peers.served(), ID);
        ActiveMessage first = inbox.next();
        assertThat(first.id()).isEqualTo(ID);
        assertThat(Bytes.array(first.header())).containsExactly(9, 8, 7);
        Bytes.assertSame(Bytes.of(first), Bytes.pattern(1, 3));
        Bytes.assertSame(Bytes.of(inbox.next()), Bytes.pattern(2, LARGE));
        small.assertDone();
        large.assertDone();
        assertThat(dropped()).isZero();
    }

    @Test
    void messagesKeepTheirOrderAcrossTheSubscription() {
        connect(UnaryOperator.identity());
        List<Integer> numbers = IntStream.range(0, 40).boxed().toList();
        numbers.subList(0, 20).forEach(this::sendNumber);
        peers.assertWorks();
        Inbox inbox = Inbox.of(peers.served(), ID);
        numbers.subList(20, 40).forEach(this::sendNumber);

        List<Integer> arrived = new ArrayList<>();
        numbers.forEach(ignored -> arrived.add((int) Bytes.array(inbox.next().data())[0]));
        assertThat(arrived).isEqualTo(numbers);
    }

    private void sendNumber(int number) {
        peers.client().activeMessages().send(ID, new byte[] {(byte) number}).block(Waits.PATIENCE);
    }

    @Test
    void messagesPastTheLimitFailTheReceiverAfterThoseThatWaited() {
        connect(server -> server.receiveQueue(4, Bytes.MIB, OverflowPolicy.ERROR));
        IntStream.range(0, 6).forEach(this::sendNumber);
        await().atMost(Waits.PATIENCE).until(() -> dropped(DropReason.OVERFLOW_ERROR) == 2);

        Inbox inbox = Inbox.of(peers.served(), ID);
        for (int i = 0; i < 4; i++) {
            assertThat(Bytes.array(inbox.next().data())).containsExactly(i);
        }
        assertThat(Waits.failure(inbox.end())).isInstanceOfSatisfying(UcxException.class, error -> {
            assertThat(error.status()).isEqualTo(UcxStatus.EXCEEDS_LIMIT);
            assertThat(error).hasMessageContaining("active message 7").hasMessageContaining("at most 4");
        });
        assertThat(dropped()).isEqualTo(2);
    }

    @Test
    void messagesOfAllIdsTogetherAreLimited() {
        connect(server -> server.receiveQueue(4, Bytes.MIB, OverflowPolicy.DROP_NEWEST));
        for (int id = 1000; id < 1010; id++) {
            peers.client().activeMessages().send(id, new byte[] {1}).block(Waits.PATIENCE);
        }

        await().atMost(Waits.PATIENCE).until(() -> dropped(DropReason.OVERFLOW_DROP_NEWEST) == 6);
        Inbox inbox = Inbox.of(peers.served(), 1003);
        assertThat(Bytes.array(inbox.next().data())).containsExactly(1);
    }

    @Test
    void bytesThatWaitAreLimited() {
        connect(server -> server.receiveQueue(1000, 10_000, OverflowPolicy.DROP_OLDEST));
        for (int i = 0; i < 5; i++) {
            send(ID, i, 4000, AmProtocol.EAGER).assertDone();
        }

        await().atMost(Waits.PATIENCE).until(() -> dropped(DropReason.OVERFLOW_DROP_OLDEST) == 3);
        Inbox inbox = Inbox.of(peers.served(), ID);
        Bytes.assertSame(Bytes.of(inbox.next()), Bytes.pattern(3, 4000));
        Bytes.assertSame(Bytes.of(inbox.next()), Bytes.pattern(4, 4000));
    }

    @Test
    void offerThatMayNotWaitFailsAtItsSender() {
        connect(server -> server.receiveQueue(1, Bytes.MIB, OverflowPolicy.ERROR));
        PendingOperation waits = offer(1);
        PendingOperation refused = offer(2);

        assertRefused(refused);
        waits.assertPending();
        assertThat(dropped(DropReason.OVERFLOW_ERROR)).isEqualTo(1);
        Inbox inbox = Inbox.of(peers.served(), ID);
        Bytes.assertSame(Bytes.of(inbox.next()), Bytes.pattern(1, LARGE));
        waits.assertDone();
    }

    /** With every UCX, though newer versions would send such messages at once. */
    @ParameterizedTest
    @ValueSource(ints = {8 * 1024 + 1, LARGE, 4 << 20})
    void messageThatMayNotWaitFailsAtItsSender(int bytes) {
        connect(server -> server.receiveQueue(1, Bytes.MIB, OverflowPolicy.ERROR));
        PendingOperation waits = offer(1);
        PendingOperation refused = send(ID, 2, bytes, AmProtocol.AUTO);

        assertRefused(refused);
        waits.assertPending();
        Inbox.of(peers.served(), ID).next().discard();
        waits.assertDone();
    }

    @Test
    void segmentsThatMayNotWaitFailAtTheirSender() {
        connect(server -> server.receiveQueue(1, Bytes.MIB, OverflowPolicy.ERROR));
        PendingOperation waits = offer(1);
        PendingOperation refused = PendingOperation.of(peers.client().activeMessages().send(ID, HEADER,
                List.of(Bytes.pattern(1, 4 * Bytes.MIB), Bytes.pattern(2, 4 * Bytes.MIB))));

        assertRefused(refused);
        waits.assertPending();
        Inbox inbox = Inbox.of(peers.served(), ID);
        inbox.next().discard();
        waits.assertDone();
    }

    @ParameterizedTest
    @ValueSource(strings = {"FLUSH", "FORCE"})
    void offerThatNobodyReceivesFailsAtItsSenderWhenTheConnectionCloses(CloseMode mode) {
        connect(server -> server.closeTimeout(Waits.PATIENCE));
        send(ID, 1, LARGE, AmProtocol.EAGER).assertDone();
        send(ID, 2, 3, AmProtocol.EAGER).assertDone();
        PendingOperation offered = offer(3);

        peers.served().close(mode).block(Waits.PATIENCE);

        assertThat(offered.failure()).isInstanceOf(UcxException.class);
        await().atMost(Waits.PATIENCE).until(() -> dropped(DropReason.NO_RECEIVER) == 3);
        await().atMost(Waits.PATIENCE).until(() -> held() == 0);
    }

    /** Without failure detection only the peer can end a rendezvous. */
    @Test
    void offerThatNobodyReceivesDoesNotKeepTheSenderWithoutFailureDetection() {
        peers = Peers.connect(route, UnaryOperator.identity(), server -> server.peerFailureDetection(false),
                client -> client.peerFailureDetection(false).closeTimeout(Duration.ofMillis(200)));
        PendingOperation offered = offer(1);

        peers.client().close().block(Waits.PATIENCE);

        assertThat(offered.failure()).isInstanceOf(UcxException.class);
        peers.served().onDispose().block(Waits.PATIENCE);
        await().atMost(Waits.PATIENCE).until(() -> held() == 0);
    }

    @Test
    void offerThatComesWhenItsReceiverHasLeftFailsAtItsSender() {
        connect(UnaryOperator.identity());
        PendingOperation taken = PendingOperation.of(peers.served().activeMessages().receive(ID).next());
        sendNumber(1);
        taken.assertDone();

        assertRefused(offer(1));
        assertThat(dropped(DropReason.NO_RECEIVER)).isEqualTo(1);
    }

    @Test
    void discardByTheApplicationIsNoFailure() {
        connect(UnaryOperator.identity());
        PendingOperation sent = offer(1);
        Inbox.of(peers.served(), ID).next().discard();

        sent.assertDone();
    }

    @Test
    void offerThatTheApplicationHasAndDoesNotFetchFailsAtItsSenderWhenTheConnectionIsCutOff() {
        connect(UnaryOperator.identity());
        Inbox inbox = Inbox.of(peers.served(), ID);
        PendingOperation sent = offer(1);
        ActiveMessage kept = inbox.next();

        peers.served().close(CloseMode.FORCE).block(Waits.PATIENCE);

        assertThat(sent.failure()).isInstanceOf(UcxException.class);
        assertThat(kept.isDisposed()).isTrue();
    }

    @Test
    void largeMessageThatNobodyReceivesDoesNotDelayTheSendersClose() {
        connect(UnaryOperator.identity());
        send(ID, 1, LARGE, AmProtocol.EAGER).assertDone();
        await().atMost(Waits.PATIENCE).until(() -> held() == 1);

        peers.client().close().block(Waits.PATIENCE);
        peers.served().onDispose().block(Waits.PATIENCE);

        await().atMost(Waits.PATIENCE).untilAsserted(() ->
                assertThat(List.of(held(), dropped(DropReason.NO_RECEIVER))).containsExactly(0L, 1L));
    }
}
