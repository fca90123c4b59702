package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.engine.EngineConfig;
import io.reactorucx.internal.message.DemandWatch;
import io.reactorucx.internal.message.MessageProtocol;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.testsupport.NoLeaks;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** A send that waits for demand for long is logged once, with who waits for whom. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class DemandWatchTest implements NeedsUcx {

    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final List<String> warnings = new CopyOnWriteArrayList<>();
    private final long start = System.nanoTime();
    private Peers peers;

    @BeforeEach
    void connect() {
        peers = Peers.connect(Route.POSIX_BY_SOCKET_ADDRESS);
        onWatch(peers.client(), watch -> watch.configure(LIMIT, warnings::add));
        onWatch(peers.served(), watch -> watch.configure(LIMIT, warnings::add));
    }

    @AfterEach
    void close() {
        peers.close();
    }

    private static void onWatch(UcxConnection connection, Consumer<DemandWatch> action) {
        MessageProtocol messages = connection.messages();
        messages.context().execute(() -> action.accept(messages.demandWatch()));
        Waits.engineOf(connection);
    }

    private void lookAfter(UcxConnection connection, int seconds) {
        onWatch(connection, watch -> watch.look(start + Duration.ofSeconds(seconds).toNanos()));
    }

    @Test
    void sendWithoutDemandIsLoggedOnceAtTheLimit() {
        PendingOperation sent = PendingOperation.of(peers.client().outbound().sendStrings(Mono.just("hello")));
        Waits.engineOf(peers.client());
        lookAfter(peers.client(), 20);
        lookAfter(peers.client(), 29);
        assertThat(warnings).isEmpty();

        for (int seconds = 30; seconds < 100; seconds += 10) {
            lookAfter(peers.client(), seconds);
        }

        assertThat(warnings).singleElement().asString()
                .startsWith("[" + peers.client().id() + " " + peers.client().peer() + "] send on the default stream ")
                .contains("has waited 10 s", "the peer has requested no message", "subscribe to inbound()");
        peers.served().inbound().receiveStrings().next().block(Waits.PATIENCE);
        sent.assertDone();
    }

    /** The client has more to send, and subscribes to the echo when it has sent it. */
    @Test
    void echoThatIsNotReceivedIsLoggedOnTheSideThatHasSomethingToSend() {
        Disposable echo = peers.served().outbound().send(peers.served().inbound().receive()).subscribe();
        Disposable client = peers.client().outbound().sendByteArrays(Flux.range(0, 100_000).map(i -> new byte[8]))
                .thenMany(peers.client().inbound().receiveByteArrays()).subscribe();
        await().atMost(Waits.PATIENCE).until(() -> {
            lookAfter(peers.client(), 20);
            lookAfter(peers.client(), 30);
            return !warnings.isEmpty();
        });
        lookAfter(peers.served(), 20);
        lookAfter(peers.served(), 30);
        assertThat(warnings).singleElement().asString()
                .startsWith("[" + peers.client().id() + " " + peers.client().peer() + "] send on")
                .contains("subscribe to inbound()");
        client.dispose();
        echo.dispose();
    }

    /** As on a server with a handler and a responder, whose clients send requests alone. */
    @Test
    void echoOfAClientThatSendsNothingIsNotLogged() {
        List<Disposable> echoes = List.of(
                peers.served().outbound().send(peers.served().inbound().receive()).subscribe(),
                peers.client().outbound().sendStrings(peers.client().inbound().receiveStrings().map(String::strip)
                        .publishOn(Schedulers.parallel()).filter(text -> true)).subscribe());
        Waits.engineOf(peers.client());
        Waits.engineOf(peers.served());
        for (int seconds = 20; seconds < 100; seconds += 10) {
            lookAfter(peers.served(), seconds);
            lookAfter(peers.client(), seconds);
        }
        assertThat(warnings).isEmpty();
        echoes.forEach(Disposable::dispose);
    }

    /** What has been received waits in an operator of the echo. */
    @Test
    void echoThatHoldsAMessageIsLogged() {
        CompletableFuture<Void> received = new CompletableFuture<>();
        Disposable echo = peers.served().outbound().sendStrings(peers.served().inbound().receiveStrings()
                .doOnNext(text -> received.complete(null)).publishOn(Schedulers.parallel())).subscribe();
        peers.client().outbound().sendStrings(Mono.just("hello")).block(Waits.PATIENCE);
        Waits.get(received);
        await().atMost(Waits.PATIENCE).until(() -> {
            lookAfter(peers.served(), 20);
            lookAfter(peers.served(), 30);
            return !warnings.isEmpty();
        });
        assertThat(warnings).singleElement().asString()
                .startsWith("[" + peers.served().id() + " " + peers.served().peer() + "] send on");
        echo.dispose();
    }

    @Test
    void sendThatGoesOnBetweenTheLooksIsNotLogged() {
        BaseSubscriber<byte[]> subscriber = new ManualSubscriber();
        peers.served().inbound().receiveByteArrays().subscribe(subscriber);
        Disposable sending = peers.client().outbound().sendByteArrays(Flux.range(0, 100).map(i -> new byte[8]))
                .subscribe();
        for (int i = 1; i < 10; i++) {
            lookAfter(peers.client(), 20 * i);
            long before = peers.clientResources().messageStatistics().getFirst().sent();
            subscriber.request(1);
            await().atMost(Waits.PATIENCE).until(() ->
                    peers.clientResources().messageStatistics().getFirst().sent() > before);
        }
        assertThat(warnings).isEmpty();
        sending.dispose();
    }

    @Test
    void sendWhoseSourceIsIdleIsNotLogged() {
        BaseSubscriber<byte[]> subscriber = new ManualSubscriber();
        peers.served().inbound().receiveByteArrays().subscribe(subscriber);
        subscriber.request(10);
        Disposable sending = peers.client().outbound().sendByteArrays(Flux.just(new byte[8]).concatWith(Flux.never()))
                .subscribe();
        await().atMost(Waits.PATIENCE).until(() -> peers.clientResources().messageStatistics().getFirst().sent() > 0);
        lookAfter(peers.client(), 20);
        lookAfter(peers.client(), 40);
        assertThat(warnings).isEmpty();
        sending.dispose();
    }

    @Test
    void responseWithoutDemandIsLoggedWithItsStream() {
        CompletableFuture<Void> requested = new CompletableFuture<>();
        Disposable responding = peers.served().respond(new UcxResponder() {
            @Override
            public Flux<UcxBuffer> requestStream(UcxBuffer request) {
                request.release();
                requested.complete(null);
                return Flux.range(0, 100).map(i -> peers.serverResources().buffers().acquire(8));
            }
        }).subscribe();
        Waits.engineOf(peers.served());
        BaseSubscriber<byte[]> subscriber = new ManualSubscriber();
        peers.client().requester().requestStream(new byte[8]).subscribe(subscriber);
        Waits.get(requested);
        Waits.engineOf(peers.served());
        await().atMost(Waits.PATIENCE).until(() -> {
            lookAfter(peers.served(), 20);
            lookAfter(peers.served(), 30);
            return !warnings.isEmpty();
        });
        assertThat(warnings).singleElement().asString().contains("send on stream 2 has waited");
        subscriber.cancel();
        responding.dispose();
    }

    /** The peer's application has asked for the message: the peer has no memory to fetch it. */
    @Test
    void peerThatDoesNotFetchWhatItHasRequestedIsNamed() {
        UcxBufferPool pool = peers.serverResources().buffers();
        List<UcxBuffer> all = List.of(pool.acquire(pool.maxBytes()));
        CompletableFuture<byte[]> received = peers.served().inbound().receiveByteArrays().next().toFuture();
        PendingOperation sent = PendingOperation.of(peers.client().outbound()
                .sendByteArrays(Mono.just(new byte[50_000])));
        await().atMost(Waits.PATIENCE).until(() -> pool.waiters() == 1);
        lookAfter(peers.client(), 20);
        lookAfter(peers.client(), 30);

        assertThat(warnings).singleElement().asString().contains("send on the default stream has waited 10 s",
                "the peer has requested and not fetched 1 large messages").doesNotContain("subscribe to");
        all.forEach(UcxBuffer::release);
        assertThat(Waits.get(received)).hasSize(50_000);
        sent.assertDone();
    }

    /** Another peer keeps the only place of the engine: nothing is wrong with the peer of the send that waits. */
    @Test
    void sendThatWaitsForOtherConnectionsIsNamedAsSuch() {
        peers.close();
        peers = Peers.connect(Route.TCP_BY_SOCKET_ADDRESS, resources -> resources.engineConfig(
                EngineConfig.of("reactor-ucx-small").withLimits(64, 1)), server -> server, client -> client);
        onWatch(peers.client(), watch -> watch.configure(LIMIT, warnings::add));
        UcxBufferPool pool = peers.serverResources().buffers();
        UcxBuffer all = pool.acquire(pool.maxBytes());
        Disposable responding = peers.served().respond(new UcxResponder() {
            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                return Mono.just(request);
            }
        }).subscribe();
        Waits.engineOf(peers.served());
        List<CompletableFuture<byte[]>> requests = List.of(
                peers.client().requester().requestResponse(new byte[50_000]).toFuture(),
                peers.client().requester().requestResponse(new byte[50_000]).toFuture());
        await().atMost(Waits.PATIENCE).until(() -> pool.waiters() == 1);
        Waits.engineOf(peers.client());
        lookAfter(peers.client(), 20);
        lookAfter(peers.client(), 30);

        assertThat(warnings).hasSize(2).anyMatch(text -> text.contains("has requested and not fetched 1 large"))
                .anyMatch(text -> text.contains("have offered 1 large messages, as many as they may"));
        all.release();
        requests.forEach(request -> assertThat(Waits.get(request)).hasSize(50_000));
        responding.dispose();
    }

    @Test
    void sendThatWaitsForTheShareOfCopiesIsNamedAsSuch() {
        peers.close();
        peers = Peers.connect(Route.TCP_BY_SOCKET_ADDRESS, resources -> resources.maxBufferBytes(4 << 20),
                server -> server, client -> client);
        onWatch(peers.client(), watch -> watch.configure(LIMIT, warnings::add));
        UcxBufferPool pool = peers.serverResources().buffers();
        UcxBuffer all = pool.acquire(pool.maxBytes());
        Disposable responding = peers.served().respond(new UcxResponder() {
            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                request.release();
                return Mono.empty();
            }
        }).subscribe();
        Waits.engineOf(peers.served());
        List<CompletableFuture<byte[]>> requests = List.of(
                peers.client().requester().requestResponse(new byte[2_000_000]).toFuture(),
                peers.client().requester().requestResponse(new byte[2_000_000]).toFuture());
        await().atMost(Waits.PATIENCE).until(() -> pool.waiters() == 1);
        Waits.engineOf(peers.client());
        lookAfter(peers.client(), 20);
        lookAfter(peers.client(), 30);

        assertThat(warnings).hasSize(2).anyMatch(text -> text.contains("has requested and not fetched 1 large"))
                .anyMatch(text -> text.contains("have half of the buffer pool"));
        all.release();
        requests.forEach(request -> assertThat(Waits.get(request)).isNull());
        responding.dispose();
    }

    @Test
    void requestsThatWaitForOthersToEndAreLoggedOnce() {
        peers.close();
        peers = Peers.connect(Route.POSIX_BY_SOCKET_ADDRESS, resources -> resources, server -> server.maxStreams(1),
                client -> client);
        onWatch(peers.client(), watch -> watch.configure(LIMIT, warnings::add));
        Disposable responding = peers.served().respond(new UcxResponder() {
            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                return request.length() == 0 ? Mono.just(request) : Mono.fromRunnable(request::release)
                        .then(Mono.never());
            }
        }).subscribe();
        Waits.engineOf(peers.served());
        peers.client().requester().requestResponse(new byte[0]).block(Waits.PATIENCE);
        List<PendingOperation> requests = List.of(
                PendingOperation.of(peers.client().requester().requestResponse(new byte[1])),
                PendingOperation.of(peers.client().requester().requestResponse(new byte[1])));
        Waits.engineOf(peers.client());

        for (int seconds = 20; seconds < 100; seconds += 5) {
            lookAfter(peers.client(), seconds);
        }

        assertThat(warnings).containsExactly("[" + peers.client().id() + " " + peers.client().peer()
                + "] 1 requests have waited 10 s: the peer takes no more at once than its maxStreams, and has ended"
                + " none of those that it has");
        requests.forEach(PendingOperation::cancel);
        responding.dispose();
    }

    @Test
    void engineLooksByItself() {
        PendingOperation sent = PendingOperation.of(peers.client().outbound().sendStrings(Mono.just("hello")));
        onWatch(peers.client(), watch -> watch.configure(Duration.ofMillis(4), warnings::add));
        await().atMost(Waits.PATIENCE).until(() -> !warnings.isEmpty());
        sent.cancel();
    }

    /** Requests nothing by itself. */
    private static final class ManualSubscriber extends BaseSubscriber<byte[]> {

        @Override
        protected void hookOnSubscribe(org.reactivestreams.Subscription subscription) {
            // The test requests.
        }
    }
}
