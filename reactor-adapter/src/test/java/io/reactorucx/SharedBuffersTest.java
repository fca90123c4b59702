package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Large messages between processes of one host, which the receiver copies from its mapping of the sender's pool. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}, failure detection {1}")
@CsvSource({"POSIX_BY_SOCKET_ADDRESS, true", "POSIX_BY_SOCKET_ADDRESS, false",
    "POSIX_BY_WORKER_ADDRESS, true"})
class SharedBuffersTest implements NeedsUcx {

    private static final int ID = 7;
    private static final MemorySegment HEADER = MemorySegment.ofArray(new byte[] {9, 8, 7});
    private static final int LARGE = 100_000;

    @Parameter(0)
    private Route route;
    @Parameter(1)
    private boolean detecting;
    private Peers peers;

    private void connect(UnaryOperator<UcxResourcesBuilder> resources) {
        peers = Peers.connect(route, resources, server -> server.peerFailureDetection(detecting),
                client -> client.peerFailureDetection(detecting));
    }

    @AfterEach
    void close() {
        if (peers != null) {
            peers.close();
            assertThat(serverPool().mappedBytes()).as("mapped by the server").isZero();
            assertThat(clientPool().mappedBytes()).as("mapped by the client").isZero();
        }
    }

    private UcxBufferPool clientPool() {
        return peers.clientResources().buffers();
    }

    private UcxBufferPool serverPool() {
        return peers.serverResources().buffers();
    }

    private UcxBuffer lease(int seed, long bytes) {
        UcxBuffer lease = clientPool().acquire(bytes);
        Bytes.fill(lease.segment(), seed);
        return lease;
    }

    private PendingOperation send(int seed, long bytes, AmProtocol protocol) {
        UcxBuffer lease = lease(seed, bytes);
        try {
            return PendingOperation.of(peers.client().activeMessages().send(ID, HEADER, lease, protocol));
        } finally {
            lease.release();
        }
    }

    private void assertContent(ActiveMessage message, int seed, long bytes) {
        assertThat(message.length()).isEqualTo(bytes);
        Bytes.assertSame(message.header(), HEADER);
        Bytes.assertSame(Bytes.of(message), Bytes.pattern(seed, bytes));
    }

    /** Sends until messages go through mapped memory: the first ones tell the peer of the slab. */
    private void warmUp(Inbox inbox, long bytes) {
        for (int i = 0; clientPool().offeredMessages() == 0; i++) {
            assertThat(i).as("messages before the peer has mapped the slab").isLessThan(1000);
            PendingOperation sent = send(i, bytes, AmProtocol.RENDEZVOUS);
            assertContent(inbox.next(), i, bytes);
            sent.assertDone();
        }
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(names = {"AUTO", "RENDEZVOUS"})
    void activeMessagesAreCopiedOnce(AmProtocol protocol) {
        connect(UnaryOperator.identity());
        Inbox inbox = Inbox.of(peers.served(), ID);
        warmUp(inbox, LARGE);
        long offered = clientPool().offeredMessages();
        int[] sizes = {8 << 10, LARGE, 1 << 20, 4 << 20, 5 << 20};
        for (int size : sizes) {
            PendingOperation first = send(size, size, AmProtocol.RENDEZVOUS);
            assertContent(inbox.next(), size, size);
            first.assertDone();
            await().atMost(Waits.PATIENCE).until(() -> {
                PendingOperation sent = send(size, size, protocol);
                assertContent(inbox.next(), size, size);
                sent.assertDone();
                return true;
            });
        }

        assertThat(clientPool().offeredMessages()).as("offered").isGreaterThanOrEqualTo(offered + sizes.length - 1);
        assertThat(serverPool().copiedMessages()).as("copied").isEqualTo(clientPool().offeredMessages());
        assertThat(serverPool().mappedBytes()).as("mapped").isPositive().isLessThanOrEqualTo(clientPool().slabBytes());
    }

    @Test
    void eagerMessagesTakeTheWayOfUcx() {
        connect(UnaryOperator.identity());
        Inbox inbox = Inbox.of(peers.served(), ID);
        warmUp(inbox, LARGE);
        long offered = clientPool().offeredMessages();

        PendingOperation sent = send(1, LARGE, AmProtocol.EAGER);
        sent.assertDone();

        assertContent(inbox.next(), 1, LARGE);
        assertThat(clientPool().offeredMessages()).isEqualTo(offered);
    }

    @Test
    void messagesOfStreamsAreCopiedOnceAndStayInOrder() {
        connect(UnaryOperator.identity());
        int count = 500;
        List<Integer> seeds = new ArrayList<>();
        CompletableFuture<Void> received = peers.served().inbound().receive().take(2 * count).doOnNext(buffer -> {
            int seed = buffer.segment().get(ValueLayout.JAVA_INT_UNALIGNED, 0);
            Bytes.assertSame(buffer.segment().asSlice(4), Bytes.pattern(seed, buffer.length() - 4));
            seeds.add(seed);
            buffer.release();
        }).then().toFuture();

        // Until the peer has mapped a slab, its messages take the way of UCX.
        peers.client().outbound().send(Flux.range(0, count).map(this::numbered)).block(Waits.PATIENCE);
        long before = clientPool().offeredMessages();
        peers.client().outbound().send(Flux.range(count, count).map(this::numbered)).block(Waits.PATIENCE);
        Waits.get(received);

        assertThat(seeds).isSorted().hasSize(2 * count).doesNotHaveDuplicates();
        assertThat(clientPool().offeredMessages() - before).as("offered").isGreaterThan(count / 3);
        assertThat(serverPool().copiedMessages()).as("copied").isEqualTo(clientPool().offeredMessages());
    }

    private UcxBuffer numbered(int seed) {
        UcxBuffer lease = clientPool().acquire(seed % 3 == 0 ? 100 : LARGE);
        lease.segment().set(ValueLayout.JAVA_INT_UNALIGNED, 0, seed);
        Bytes.fill(lease.segment().asSlice(4), seed);
        return lease;
    }

    @Test
    void requestsAndResponsesAreCopiedOnce() {
        connect(UnaryOperator.identity());
        Disposable responding = peers.served().respond(new UcxResponder() {
            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                return Mono.just(request);
            }
        }).subscribe();
        for (int i = 0; i < 50; i++) {
            UcxBuffer response = peers.client().requester().requestResponse(lease(i, LARGE)).block(Waits.PATIENCE);
            assertThat(response).isNotNull();
            Bytes.assertSame(response.segment(), Bytes.pattern(i, LARGE));
            response.release();
        }
        responding.dispose();

        assertThat(clientPool().offeredMessages()).as("requests").isGreaterThan(40);
        assertThat(serverPool().offeredMessages()).as("responses").isGreaterThan(40);
    }

    @Test
    void unfetchedMessageEndsItsSendAndFreesTheLease() {
        connect(UnaryOperator.identity());
        Inbox inbox = Inbox.of(peers.served(), ID);
        warmUp(inbox, LARGE);
        long offered = clientPool().offeredMessages();

        PendingOperation discarded = send(1, LARGE, AmProtocol.RENDEZVOUS);
        ActiveMessage message = inbox.next();
        discarded.assertPending();
        assertThat(clientPool().leases()).isOne();
        message.discard();
        discarded.assertDone();

        inbox.cancel();
        Waits.engineOf(peers.served());
        PendingOperation unheard = send(2, LARGE, AmProtocol.RENDEZVOUS);
        assertThat(unheard.failure()).isInstanceOfSatisfying(UcxException.class,
                e -> assertThat(e.status()).isEqualTo(UcxStatus.REJECTED));
        assertThat(clientPool().offeredMessages()).isEqualTo(offered + 2);
    }

    @Test
    void whatAPeerHasGivenUpIsNotTakenForAMessage() {
        connect(UnaryOperator.identity());
        Inbox inbox = Inbox.of(peers.served(), ID);
        warmUp(inbox, LARGE);
        PendingOperation sent = send(1, LARGE, AmProtocol.RENDEZVOUS);
        ActiveMessage message = inbox.next();

        // The server's engine notices nothing of the client's end before the fetch.
        CompletableFuture<Void> held = new CompletableFuture<>();
        CompletableFuture<Void> release = new CompletableFuture<>();
        CompletableFuture<PendingOperation> fetch = new CompletableFuture<>();
        peers.served().scheduler().schedule(() -> {
            held.complete(null);
            release.join();
            fetch.complete(PendingOperation.of(message.fetch(Bytes.zeroed(LARGE))));
        });
        Waits.get(held);
        peers.client().close(CloseMode.FORCE).subscribe();
        assertThat(sent.hasFailed()).as("the send, whose connection was closed by force").isTrue();
        await().atMost(Waits.PATIENCE).until(() -> clientPool().leases() == 0);
        release.complete(null);

        assertThat(Waits.get(fetch).hasFailed()).as("a fetch of memory that the sender uses for something else")
                .isTrue();
    }

    @Test
    void withoutSharedBuffersMessagesTakeTheWayOfUcx() {
        connect(builder -> builder.sharedBuffers(false));
        assertNothingOffered();
        assertThat(serverPool().refusedMappings()).isZero();
    }

    @Test
    void peerThatMapsNothingGetsMessagesByUcx() {
        connect(builder -> builder.maxMappedBytes(0));
        assertNothingOffered();
        assertThat(serverPool().refusedMappings()).as("refused, once for the slab").isOne();
    }

    private void assertNothingOffered() {
        Inbox inbox = Inbox.of(peers.served(), ID);
        for (int i = 0; i < 20; i++) {
            PendingOperation sent = send(i, LARGE, AmProtocol.RENDEZVOUS);
            assertContent(inbox.next(), i, LARGE);
            sent.assertDone();
        }
        assertThat(clientPool().offeredMessages()).isZero();
        assertThat(serverPool().mappedBytes()).isZero();
    }

    @Test
    void slabThatIsFreedIsUnmappedAtThePeer() {
        connect(builder -> builder.maxBufferBytes(8 << 20));
        Inbox inbox = Inbox.of(peers.served(), ID);
        warmUp(inbox, LARGE);
        assertThat(serverPool().mappedBytes()).isEqualTo(4 << 20);

        // Blocks of another size need the room.
        clientPool().acquire(5 << 20).release();
        await().atMost(Waits.PATIENCE).until(() -> serverPool().mappedBytes() == 0);

        PendingOperation sent = send(3, LARGE, AmProtocol.RENDEZVOUS);
        assertContent(inbox.next(), 3, LARGE);
        sent.assertDone();
    }

    @Test
    void connectionsToOneProcessShareAMapping() {
        connect(UnaryOperator.identity());
        Inbox inbox = Inbox.of(peers.served(), ID);
        warmUp(inbox, LARGE);
        long mapped = serverPool().mappedBytes();
        long offered = clientPool().offeredMessages();
        UcxConnection second = peers.connect();
        Inbox other = Inbox.of(peers.nextServed(), ID);
        for (int i = 0; i < 10; i++) {
            UcxBuffer lease = lease(i, LARGE);
            PendingOperation sent = PendingOperation.of(second.activeMessages().send(ID, HEADER, lease,
                    AmProtocol.RENDEZVOUS));
            assertContent(other.next(), i, LARGE);
            sent.assertDone();
            lease.release();
        }

        assertThat(serverPool().mappedBytes()).isEqualTo(mapped);
        assertThat(clientPool().offeredMessages()).isGreaterThan(offered);
        second.disposeNow();
        PendingOperation sent = send(3, LARGE, AmProtocol.RENDEZVOUS);
        assertContent(inbox.next(), 3, LARGE);
        sent.assertDone();
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(booleans = {true, false})
    void closeWaitsForMessagesThatAreOffered(boolean fetched) {
        connect(UnaryOperator.identity());
        Inbox inbox = Inbox.of(peers.served(), ID);
        warmUp(inbox, LARGE);
        PendingOperation sent = send(1, LARGE, AmProtocol.RENDEZVOUS);
        ActiveMessage message = inbox.next();
        PendingOperation closing = PendingOperation.of(peers.client().close());
        closing.assertPending();
        if (fetched) {
            assertContent(message, 1, LARGE);
        } else {
            message.discard();
        }
        sent.assertDone();
        closing.assertDone();
    }

    /** Sends until the server has mapped the client's slab, and a message went that way. */
    static void mapASlab(Peers peers) {
        Inbox inbox = Inbox.of(peers.served(), ID);
        UcxBuffer lease = peers.clientResources().buffers().acquire(LARGE);
        for (int i = 0; peers.clientResources().buffers().offeredMessages() == 0; i++) {
            assertThat(i).as("messages before the peer has mapped the slab").isLessThan(1000);
            PendingOperation sent = PendingOperation.of(peers.client().activeMessages().send(ID, HEADER, lease,
                    AmProtocol.RENDEZVOUS));
            inbox.next().discard();
            sent.assertDone();
        }
        lease.release();
        inbox.cancel();
        Waits.engineOf(peers.served());
    }
}
