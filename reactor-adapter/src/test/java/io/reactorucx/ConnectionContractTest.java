package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.Ucx;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.message.TaggedMessage;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** How a connection begins and ends, over every route. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(Route.class)
class ConnectionContractTest implements NeedsUcx {

    private static final int ID = 3;

    @Parameter
    private Route route;
    private Peers peers;

    @AfterEach
    void close() {
        if (peers != null) {
            peers.close();
        }
    }

    private UcxConnection connect() {
        peers = Peers.connect(route);
        return peers.client();
    }

    private void connectWithCloseTimeout(Duration timeout) {
        peers = Peers.connect(route, UnaryOperator.identity(), server -> server.closeTimeout(timeout), client ->
                client.closeTimeout(timeout));
    }

    @Test
    void connectionSaysWhatItIs() {
        UcxConnection client = connect();

        for (UcxConnection end : List.of(client, peers.served())) {
            assertThat(end.transports()).anyMatch(name -> name.startsWith(route.fastest() + "/"));
            assertThat(end.errorMode()).isEqualTo(route.isSelf() ? ErrorMode.NONE : ErrorMode.PEER);
            // RDMA with packets of 1 KiB has the smallest ones.
            assertThat(end.maxHeaderBytes()).isGreaterThan(900);
            assertThat(end.isDisposed()).isFalse();
            assertThat(end.toString()).contains(end.peer()).contains("CONNECTED");
            if (!route.isSelf()) {
                assertThat(end.peerVersion()).contains(Ucx.version());
            }
        }
        assertThat(client.resources()).isSameAs(peers.clientResources());
        assertThat(client.peer()).isEqualTo(route.byWorkerAddress() ? client.peer()
                : "127.0.0.1:" + peers.server().port());
        assertThat(peers.clientResources().openConnections()).isEqualTo(1);
        assertThat(peers.serverResources().openConnections()).isEqualTo(1);
    }

    @Test
    void whatWasSentBeforeTheCloseCanBeFetchedAfterIt() {
        route.assumeTwoPeers();
        UcxConnection client = connect();
        Inbox inbox = Inbox.of(peers.served(), ID);
        MemorySegment payload = Bytes.pattern(5, 100_000);
        client.activeMessages().send(ID, MemorySegment.NULL, payload, AmProtocol.EAGER).block(Waits.PATIENCE);
        ActiveMessage offer = inbox.next();
        assertThat(offer.hasData()).isFalse();

        CompletableFuture<Void> closed = client.close().toFuture();
        inbox.end().orTimeout(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        assertThat(closed).isNotDone();
        UcxBuffer fetched = Objects.requireNonNull(offer.fetch(peers.serverResources().buffers())
                .block(Waits.PATIENCE));

        assertThat(fetched.segment().mismatch(payload)).isEqualTo(-1);
        fetched.release();
        closed.orTimeout(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        peers.served().onDispose().block(Waits.PATIENCE);
    }

    @Test
    void closeOfTheReceiverGivesUpWhatItHasNotFetched() {
        route.assumeTwoPeers();
        UcxConnection client = connect();
        Inbox inbox = Inbox.of(peers.served(), ID);
        client.activeMessages().send(ID, MemorySegment.NULL, Bytes.pattern(5, 100_000), AmProtocol.EAGER)
                .block(Waits.PATIENCE);
        ActiveMessage offer = inbox.next();

        CompletableFuture<Void> closed = client.close().toFuture();
        inbox.end().orTimeout(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        peers.served().close().block(Waits.PATIENCE);

        closed.orTimeout(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        StepVerifier.create(offer.fetch(peers.serverResources().buffers())).verifyError(RuntimeException.class);
    }

    @Test
    void messagesPassInBothDirections() {
        connect();
        peers.assertWorks();
    }

    @Test
    void severalConnectionsKeepTheirMessagesApart() {
        route.assumeTwoPeers();
        UcxConnection first = connect();
        UcxConnection second = peers.connect();
        UcxConnection secondServed = peers.nextServed();
        Inbox atFirst = Inbox.of(peers.served(), ID);
        Inbox atSecond = Inbox.of(secondServed, ID);

        first.activeMessages().send(ID, new byte[] {1}).block(Waits.PATIENCE);
        second.activeMessages().send(ID, new byte[] {2}).block(Waits.PATIENCE);

        assertThat(Bytes.array(atFirst.next().data())).containsExactly(1);
        assertThat(Bytes.array(atSecond.next().data())).containsExactly(2);
        Peers.assertWorks(second, secondServed);
        assertThat(peers.server().connections()).isEqualTo(2);
        second.close().block(Waits.PATIENCE);
        secondServed.onDispose().block(Waits.PATIENCE);
        peers.assertWorks();
        await().atMost(Waits.PATIENCE).until(() -> peers.server().connections() == 1);
    }

    @Test
    void closeByTheClientEndsBothSidesInGoodOrder() {
        connect();
        assertGoodEnd(peers.client(), peers.served());
    }

    @Test
    void closeByTheServerEndsBothSidesInGoodOrder() {
        route.assumeTwoPeers();
        connect();
        assertGoodEnd(peers.served(), peers.client());
    }

    private void assertGoodEnd(UcxConnection closing, UcxConnection other) {
        Inbox here = Inbox.of(closing, ID);
        Inbox there = Inbox.of(other, ID + 1);
        closing.activeMessages().send(ID + 1, new byte[] {7}).block(Waits.PATIENCE);

        closing.close().block(Waits.PATIENCE);
        other.onDispose().block(Waits.PATIENCE);

        Waits.get(here.end());
        Waits.get(there.end());
        assertThat(Bytes.array(there.next().data())).as("what was sent before the end").containsExactly(7);
        assertThat(closing.isDisposed()).isTrue();
        assertThat(other.isDisposed()).isTrue();
        closing.onDispose().block(Waits.PATIENCE);
        await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(peers.clientResources().openConnections()
                + peers.serverResources().openConnections()).isZero());
    }

    @Test
    void closeByBothSidesAtOnceEndsBothInGoodOrder() {
        route.assumeTwoPeers();
        connect();
        Inbox atServer = Inbox.of(peers.served(), ID);
        Inbox atClient = Inbox.of(peers.client(), ID);

        Mono.when(peers.client().close(), peers.served().close()).block(Waits.PATIENCE);

        Waits.get(atServer.end());
        Waits.get(atClient.end());
    }

    @Test
    void closeWaitsForWhatIsUnderWay() {
        connect();
        Inbox inbox = Inbox.of(peers.served(), ID);
        PendingOperation sent = PendingOperation.of(peers.client().activeMessages()
                .send(ID, Bytes.zeroed(0), Bytes.pattern(1, Bytes.MIB), AmProtocol.RENDEZVOUS));
        ActiveMessage offer = inbox.next();
        CompletableFuture<Void> closed = peers.client().close().toFuture();
        Waits.engineOf(peers.client());
        assertThat(closed).isNotDone();

        if (route.isSelf()) {
            // The receiving end is closing as well, so that it cannot fetch any more.
            offer.discard();
        } else {
            Bytes.assertSame(Bytes.of(offer), Bytes.pattern(1, Bytes.MIB));
        }
        sent.assertDone();
        Waits.get(closed);
    }

    @Test
    void closeGivesUpWaitingAfterItsTimeLimit() {
        route.assumeTwoPeers();
        connectWithCloseTimeout(Duration.ofMillis(300));
        Inbox inbox = Inbox.of(peers.served(), ID);
        PendingOperation sent = PendingOperation.of(peers.client().activeMessages()
                .send(ID, Bytes.zeroed(0), Bytes.pattern(1, Bytes.MIB), AmProtocol.RENDEZVOUS));
        inbox.next();

        peers.client().close().block(Waits.PATIENCE);

        assertThat(sent.failure()).isInstanceOfSatisfying(UcxException.class,
                error -> assertThat(error.peer()).isEqualTo(peers.client().peer()));
        peers.served().onDispose().block(Waits.PATIENCE);
    }

    @Test
    void forcedCloseDropsWhatIsUnderWay() {
        route.assumeTwoPeers();
        connect();
        Inbox inbox = Inbox.of(peers.served(), ID);
        PendingOperation sent = PendingOperation.of(peers.client().activeMessages()
                .send(ID, Bytes.zeroed(0), Bytes.pattern(1, Bytes.MIB), AmProtocol.RENDEZVOUS));
        inbox.next();

        peers.client().close(CloseMode.FORCE).block(Waits.PATIENCE);

        assertThat(sent.failure()).isInstanceOf(UcxClosedException.class);
        peers.served().onDispose().block(Waits.PATIENCE);
    }

    @Test
    void disposingTwiceIsAsGoodAsOnce() {
        connect();
        peers.client().dispose();
        peers.client().dispose();
        peers.client().disposeNow();
        peers.client().disposeNow();
        peers.client().close(CloseMode.FORCE).block(Waits.PATIENCE);
        peers.served().disposeNow();
        assertThat(peers.client().isDisposed()).isTrue();
    }

    @Test
    void everythingIsRefusedAfterTheEnd() {
        connect();
        RemoteMemory memory = peers.client().memory(peers.serverResources().allocateMemory(100).descriptor());
        memory.get(0, Bytes.zeroed(1)).block(Waits.PATIENCE);
        peers.client().close().block(Waits.PATIENCE);

        assertClosed(peers.client().activeMessages().send(ID, new byte[1]));
        assertClosed(peers.client().activeMessages().send(ID, Bytes.zeroed(0), Bytes.zeroed(Bytes.MIB),
                AmProtocol.RENDEZVOUS));
        assertClosed(peers.client().activeMessages().receive(ID));
        assertClosed(peers.client().tags().send(1, Bytes.zeroed(1)));
        assertClosed(peers.client().tags().sendSync(1, Bytes.zeroed(1)));
        assertClosed(peers.client().tags().receive(1, Bytes.zeroed(1)));
        assertClosed(peers.client().flush());
        assertClosed(memory.get(0, Bytes.zeroed(1)));
        assertClosed(memory.put(0, Bytes.zeroed(1)));
        assertClosed(memory.flush());
        assertClosed(memory.getFlux(10, 2));
        memory.close();
    }

    private void assertClosed(org.reactivestreams.Publisher<?> operation) {
        StepVerifier.create(Flux.from(operation)).expectErrorSatisfies(error -> assertThat(error)
                .isInstanceOfSatisfying(UcxClosedException.class, closed -> {
                    assertThat(closed.peer()).isEqualTo(peers.client().peer());
                    assertThat(closed.isConnectionLost()).isFalse();
                })).verify(Waits.PATIENCE);
    }

    @Test
    void pendingReceivesEndWithTheConnection() {
        connect();
        CompletableFuture<TaggedMessage> atClient = peers.client().tags().receive(77, Bytes.zeroed(8)).toFuture();
        CompletableFuture<TaggedMessage> atServer = peers.served().tags().receive(78, Bytes.zeroed(8)).toFuture();
        Waits.engineOf(peers.client());
        Waits.engineOf(peers.served());

        peers.client().close().block(Waits.PATIENCE);

        assertThat(Waits.failure(atClient)).isInstanceOf(UcxClosedException.class);
        assertThat(Waits.failure(atServer)).isInstanceOf(UcxClosedException.class);
    }

    @Test
    void newConnectionWorksAfterTheEndOfAnother() {
        connect();
        peers.client().close().block(Waits.PATIENCE);
        peers.served().onDispose().block(Waits.PATIENCE);

        UcxConnection next = peers.connect();
        Peers.assertWorks(next, route.isSelf() ? next : peers.nextServed());
        next.close().block(Waits.PATIENCE);
    }

    @Test
    void offerThatWasNotFetchedEndsWithTheConnection() {
        route.assumeTwoPeers();
        connect();
        Inbox inbox = Inbox.of(peers.served(), ID);
        PendingOperation sent = PendingOperation.of(peers.client().activeMessages()
                .send(ID, Bytes.zeroed(0), Bytes.pattern(1, Bytes.MIB), AmProtocol.RENDEZVOUS));
        ActiveMessage offer = inbox.next();

        peers.served().close().block(Waits.PATIENCE);

        StepVerifier.create(offer.fetch(Bytes.zeroed(Bytes.MIB))).expectError(UcxClosedException.class)
                .verify(Waits.PATIENCE);
        assertThat(Objects.requireNonNull(peers.serverResources().engines().getFirst().counters()).heldMessages())
                .isZero();
        peers.client().onDispose().block(Waits.PATIENCE);
        sent.cancel();
    }

    @Test
    void closeGoesOnWhenASubscriberThrows() {
        route.assumeTwoPeers();
        connectWithCloseTimeout(Duration.ofMinutes(1));
        Inbox inbox = Inbox.of(peers.served(), ID);
        peers.client().activeMessages().send(ID, Bytes.zeroed(0), Bytes.pattern(1, Bytes.MIB), AmProtocol.RENDEZVOUS)
                .subscribe(new ThrowingSubscriber());
        ActiveMessage offer = inbox.next();
        CompletableFuture<Void> closed = peers.client().close().toFuture();
        Waits.engineOf(peers.client());
        assertThat(closed).isNotDone();

        Bytes.assertSame(Bytes.of(offer), Bytes.pattern(1, Bytes.MIB));

        Waits.get(closed);
    }

    private static final class ThrowingSubscriber implements CoreSubscriber<Void> {

        @Override
        public void onSubscribe(Subscription subscription) {
            subscription.request(1);
        }

        @Override
        public void onNext(Void value) {
            throw new AssertionError("there is no value");
        }

        @Override
        public void onError(Throwable error) {
            throw new IllegalArgumentException("this subscriber throws", error);
        }

        @Override
        public void onComplete() {
            throw new IllegalArgumentException("this subscriber throws");
        }
    }
}
