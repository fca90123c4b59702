package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.message.ActiveMessage;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Active messages of any size by any protocol, over every route. */
@Tag("slow")
@EnumSource(Route.class)
class ActiveMessageContractTest extends SharedPeers {

    private static final int ID = 7;
    private static final long[] SIZES = {0, 1, 8 * Bytes.KIB, Bytes.MIB, 64L * Bytes.MIB};
    private static final MemorySegment HEADER = MemorySegment.ofArray(new byte[] {9, 8, 7});
    private static final MemorySegment NO_HEADER = MemorySegment.NULL;

    private final List<Inbox> inboxes = new ArrayList<>();
    private Inbox inbox;

    @BeforeEach
    void receive() {
        inbox = inbox(peers.served(), ID);
    }

    @AfterEach
    void stopReceiving() {
        inboxes.forEach(Inbox::cancel);
    }

    private Inbox inbox(UcxConnection at, int id) {
        Inbox opened = Inbox.of(at, id);
        inboxes.add(opened);
        return opened;
    }

    static Stream<Arguments> protocolsAndSizes() {
        return Stream.of(AmProtocol.values()).flatMap(protocol -> Arrays.stream(SIZES)
                .mapToObj(size -> Arguments.of(protocol, size)));
    }

    @ParameterizedTest
    @MethodSource("protocolsAndSizes")
    void messageArrivesWithHeaderAndContent(AmProtocol protocol, long size) {
        MemorySegment payload = Bytes.pattern(size, size);
        PendingOperation sent = PendingOperation.of(peers.client().activeMessages()
                .send(ID, HEADER, payload, protocol));

        ActiveMessage message = inbox.next();
        assertThat(message.id()).isEqualTo(ID);
        assertThat(Bytes.array(message.header())).containsExactly(9, 8, 7);
        assertThat(message.length()).isEqualTo(size);
        if (protocol != AmProtocol.AUTO) {
            assertThat(message.isRendezvous()).as("rendezvous").isEqualTo(protocol == AmProtocol.RENDEZVOUS);
        }
        Bytes.assertSame(Bytes.of(message), payload);
        sent.assertDone();
    }

    @ParameterizedTest
    @EnumSource(AmProtocol.class)
    void messageTravelsInTheOtherDirectionToo(AmProtocol protocol) {
        Inbox atClient = inbox(peers.client(), ID + 1);
        MemorySegment payload = Bytes.pattern(3, Bytes.MIB);
        PendingOperation sent = PendingOperation.of(peers.served().activeMessages()
                .send(ID + 1, NO_HEADER, payload, protocol));

        ActiveMessage message = atClient.next();
        assertThat(message.header().byteSize()).isZero();
        Bytes.assertSame(Bytes.of(message), payload);
        sent.assertDone();
    }

    @Test
    void largestHeaderArrives() {
        MemorySegment header = Bytes.pattern(1, peers.client().maxHeaderBytes());
        peers.client().activeMessages().send(ID, header, MemorySegment.NULL, AmProtocol.EAGER).block(Waits.PATIENCE);

        Bytes.assertSame(inbox.next().header(), header);
    }

    @Test
    void smallMessagesArriveInOrder() {
        int count = 2000;
        Flux.range(0, count).map(i -> new byte[] {i.byteValue(), (byte) (i >> 8)})
                .concatMap(number -> peers.client().activeMessages().send(ID, number)).blockLast(Waits.PATIENCE);

        for (int i = 0; i < count; i++) {
            assertThat(Bytes.array(inbox.next().data())).containsExactly(i, i >> 8);
        }
    }

    @Test
    void lengthIsThatOfTheLeaseAndTheLeaseStaysWithTheCaller() {
        UcxBuffer lease = peers.clientResources().buffers().acquire(5000);
        Bytes.fill(lease.segment(), 5);
        PendingOperation sent = PendingOperation.of(peers.client().activeMessages()
                .send(ID, NO_HEADER, lease, AmProtocol.RENDEZVOUS));

        Bytes.assertSame(Bytes.of(inbox.next()), lease.segment());
        sent.assertDone();
        assertThat(lease.isDisposed()).isFalse();
        lease.release();
        assertThat(lease.isDisposed()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(value = AmProtocol.class, names = {"EAGER", "RENDEZVOUS"})
    void fetchFillsCallersMemoryAndNoMore(AmProtocol protocol) {
        MemorySegment payload = Bytes.pattern(11, 100_003);
        PendingOperation sent = PendingOperation.of(peers.client().activeMessages()
                .send(ID, HEADER, payload, protocol));
        MemorySegment destination = Bytes.zeroed(100_003 + 64);

        MemorySegment filled = Objects.requireNonNull(inbox.next().fetch(destination).block(Waits.PATIENCE));

        assertThat(filled.address()).isEqualTo(destination.address());
        Bytes.assertSame(filled, payload);
        Bytes.assertSame(destination.asSlice(100_003), Bytes.zeroed(64));
        sent.assertDone();
    }

    @ParameterizedTest
    @CsvSource({"EAGER, 0", "EAGER, 1", "EAGER, 100003", "RENDEZVOUS, 0", "RENDEZVOUS, 1", "RENDEZVOUS, 100003"})
    void fetchLeasesFromThePool(AmProtocol protocol, long size) {
        UcxBufferPool pool = peers.serverResources().buffers();
        MemorySegment payload = Bytes.pattern(12, size);
        PendingOperation sent = PendingOperation.of(peers.client().activeMessages()
                .send(ID, HEADER, payload, protocol));

        UcxBuffer buffer = Objects.requireNonNull(inbox.next().fetch(pool).block(Waits.PATIENCE));

        assertThat(pool.leases()).isEqualTo(1);
        assertThat(buffer.length()).isEqualTo(size);
        Bytes.assertSame(buffer.segment(), payload);
        buffer.release();
        assertThat(pool.leases()).isZero();
        sent.assertDone();
    }

    @Test
    void inlineDataCanBeFetchedToo() {
        peers.client().activeMessages().send(ID, new byte[] {1, 2, 3}).block(Waits.PATIENCE);
        ActiveMessage message = inbox.next();
        assertThat(message.hasData()).isTrue();

        UcxBuffer buffer = Objects.requireNonNull(message.fetch(peers.serverResources().buffers())
                .block(Waits.PATIENCE));
        assertThat(Bytes.array(buffer.segment())).containsExactly(1, 2, 3);
        buffer.release();
        MemorySegment filled = Objects.requireNonNull(message.fetch(Bytes.zeroed(10)).block(Waits.PATIENCE));
        assertThat(Bytes.array(filled)).containsExactly(1, 2, 3);
    }

    @ParameterizedTest
    @EnumSource(value = AmProtocol.class, names = {"EAGER", "RENDEZVOUS"})
    void discardEndsTheSendAndTheOffer(AmProtocol protocol) {
        PendingOperation sent = PendingOperation.of(peers.client().activeMessages()
                .send(ID, NO_HEADER, Bytes.pattern(1, Bytes.MIB), protocol));
        ActiveMessage message = inbox.next();

        message.discard();
        message.discard();

        sent.assertDone();
        assertThat(message.isDisposed()).isTrue();
        StepVerifier.create(message.fetch(Bytes.zeroed(Bytes.MIB))).expectError(IllegalStateException.class)
                .verify(Waits.PATIENCE);
        assertNextArrives();
    }

    @Test
    void secondFetchIsRefused() {
        PendingOperation sent = PendingOperation.of(peers.client().activeMessages()
                .send(ID, NO_HEADER, Bytes.pattern(1, Bytes.MIB), AmProtocol.RENDEZVOUS));
        ActiveMessage message = inbox.next();
        Bytes.of(message);

        StepVerifier.create(message.fetch(Bytes.zeroed(Bytes.MIB)))
                .expectErrorSatisfies(error -> assertThat(error).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("before"))
                .verify(Waits.PATIENCE);
        sent.assertDone();
        assertNextArrives();
    }

    @Test
    void tooSmallDestinationLeavesTheOfferOpen() {
        MemorySegment payload = Bytes.pattern(1, Bytes.MIB);
        PendingOperation sent = PendingOperation.of(peers.client().activeMessages()
                .send(ID, NO_HEADER, payload, AmProtocol.RENDEZVOUS));
        ActiveMessage message = inbox.next();

        StepVerifier.create(message.fetch(Bytes.zeroed(Bytes.MIB - 1)))
                .expectErrorSatisfies(error -> assertThat(error).isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining(Integer.toString(Bytes.MIB - 1)))
                .verify(Waits.PATIENCE);

        Bytes.assertSame(Bytes.of(message), payload);
        sent.assertDone();
    }

    @Test
    void dataOfAnOfferIsRefusedBeforeItIsFetched() {
        PendingOperation sent = PendingOperation.of(peers.client().activeMessages()
                .send(ID, NO_HEADER, Bytes.pattern(1, Bytes.MIB), AmProtocol.RENDEZVOUS));
        ActiveMessage message = inbox.next();

        assertThatThrownBy(message::data).isInstanceOf(IllegalStateException.class);
        message.dispose();
        sent.assertDone();
    }

    @Test
    void replyComesBack() {
        Inbox answers = inbox(peers.client(), ID + 2);
        peers.client().activeMessages().send(ID, new byte[] {5}).block(Waits.PATIENCE);

        MemorySegment payload = Bytes.pattern(2, 300);
        inbox.next().reply(ID + 2, HEADER, payload).block(Waits.PATIENCE);

        ActiveMessage answer = answers.next();
        assertThat(Bytes.array(answer.header())).containsExactly(9, 8, 7);
        Bytes.assertSame(Bytes.of(answer), payload);
    }

    @Test
    void sendIsColdAndMayBeRepeated() {
        Mono<Void> send = peers.client().activeMessages().send(ID, new byte[] {6});
        Mono<Void> never = peers.client().activeMessages().send(ID, new byte[] {66});
        assertThat(never).isNotNull();
        send.repeat(2).blockLast(Waits.PATIENCE);

        for (int i = 0; i < 3; i++) {
            assertThat(Bytes.array(inbox.next().data())).containsExactly(6);
        }
        assertNextArrives();
    }

    private void assertNextArrives() {
        peers.client().activeMessages().send(ID, new byte[] {42}).block(Waits.PATIENCE);
        assertThat(Bytes.array(inbox.next().data())).containsExactly(42);
        assertThat(inbox.size()).isZero();
    }
}
