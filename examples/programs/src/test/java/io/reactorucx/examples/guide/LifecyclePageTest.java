package io.reactorucx.examples.guide;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxConnectionPool;
import io.reactorucx.UcxReconnectingConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.engine.WaitStrategy;
import io.reactorucx.message.UcxResponder;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** The code of {@code docs/guide/lifecycle.md}. */
class LifecyclePageTest extends Page {

    private final Queue<String> events = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean silent = new AtomicBoolean();
    private final CompletableFuture<Void> asked = new CompletableFuture<>();

    private UcxResponder echo() {
        return new UcxResponder() {
            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                if (silent.get()) {
                    request.release();
                    return Mono.<UcxBuffer>never().doOnSubscribe(subscription -> asked.complete(null));
                }
                return Mono.just(request);
            }
        };
    }

    private UcxServer responding() {
        return UcxServer.create(resources).respond(echo());
    }

    @Test
    void resourcesAreSharedAndConfiguredOnce() {
        // snippet: resources
        UcxResources resources = UcxResources.builder()
                .engines(2)                               // threads, each with a UCX worker
                .waitStrategy(WaitStrategy.ADAPTIVE)      // spin, then sleep; the default
                .maxBufferBytes(256 << 20)
                .build();
        // end
        assertThat(resources.engines()).hasSize(2);
        // snippet: dispose-resources
        resources.disposeNow();    // connections and servers first, then threads, then memory
        // end
    }

    @Test
    void connectionsAreMadeAndClosed() {
        UcxBoundServer server = responding().bindNow();
        int port = server.port();

        // snippet: connect
        Mono<UcxConnection> connecting = UcxClient.create(resources)
                .remoteAddress("127.0.0.1", port)
                .connectTimeout(Duration.ofSeconds(3))
                .heartbeatInterval(Duration.ofSeconds(5))
                .doOnConnected(connection -> events.add("connected"))
                .doOnDisconnected(connection -> events.add("disconnected"))
                .connect();
        // end
        UcxConnection connection = connecting.block(TIMEOUT);
        UcxConnection other = connect(server);

        // snippet: close
        connection.close().block();                   // graceful: in-flight operations end, the peer is notified
        other.close(CloseMode.FORCE).block();         // drops in-flight operations
        // end

        await().atMost(TIMEOUT).untilAsserted(() -> assertThat(events).containsExactly("connected", "disconnected"));
        connection.onTerminate().block(TIMEOUT);
        assertThat(connection.isDisposed()).isTrue();
    }

    @Test
    void errorsSayWhetherToTryAgain() {
        UcxBoundServer server = responding().bindNow();
        UcxConnection connection = connect(server);
        connection.close().block(TIMEOUT);

        // snippet: failure
        Mono<byte[]> answer = connection.requester().requestResponse("question".getBytes(UTF_8))
                .doOnError(UcxException.class, error -> {
                    if (error.isConnectionLost()) {
                        events.add("connect again: " + error.status());
                    } else if (error.isRetryable()) {
                        events.add("try again later: " + error.status());
                    }
                });
        // end

        assertThatThrownBy(() -> answer.block(TIMEOUT)).isInstanceOf(UcxClosedException.class);
    }

    @Test
    void lostConnectionIsReplaced() {
        UcxBoundServer server = responding().bindNow();
        int port = server.port();

        // snippet: reconnect
        UcxReconnectingConnection reconnecting = UcxClient.create(resources)
                .remoteAddress("127.0.0.1", port)
                .reconnect(Retry.backoff(Long.MAX_VALUE, Duration.ofMillis(200)).maxBackoff(Duration.ofSeconds(5)))
                .pendingMaxCount(100)
                .onConnected(connection -> connection.requester().fireAndForget("client 7".getBytes(UTF_8)))
                .connectNow(Duration.ofSeconds(30));

        Mono<byte[]> answer = reconnecting
                .withConnection(connection -> connection.requester().requestResponse("question".getBytes(UTF_8)))
                .retryWhen(Retry.max(3)
                        .filter(error -> error instanceof UcxException lost && lost.isConnectionLost()));
        // end

        assertThat(answer.block(TIMEOUT)).asString(UTF_8).isEqualTo("question");
        reconnecting.connection().flatMap(connection -> connection.close(CloseMode.FORCE)).block(TIMEOUT);
        assertThat(answer.block(TIMEOUT)).asString(UTF_8).isEqualTo("question");
        assertThat(reconnecting.reconnects()).isEqualTo(1);

        silent.set(true);
        CompletableFuture<byte[]> underWay = answer.toFuture();
        asked.orTimeout(TIMEOUT.toSeconds(), TimeUnit.SECONDS).join();
        server.disposeNow();
        assertThat(underWay).isNotDone();
        silent.set(false);
        await().atMost(TIMEOUT).ignoreException(UcxException.class).until(() ->
                responding().bindAddress("127.0.0.1", port).bindNow().port() == port);
        assertThat(underWay.orTimeout(TIMEOUT.toSeconds(), TimeUnit.SECONDS).join()).asString(UTF_8)
                .isEqualTo("question");
        assertThat(reconnecting.reconnects()).isEqualTo(2);
        reconnecting.close().block(TIMEOUT);
    }

    @Test
    void poolLendsConnections() {
        UcxBoundServer server = responding().bindNow();
        UcxClient client = UcxClient.create(resources).remoteAddress("127.0.0.1", server.port());

        // snippet: pool
        UcxConnectionPool pool = UcxConnectionPool.builder(client)
                .maxConnections(8)
                .pendingAcquireMaxCount(64)
                .maxIdleTime(Duration.ofMinutes(5))
                .build();

        Mono<byte[]> answer = pool.withConnection(connection ->
                connection.requester().requestResponse("question".getBytes(UTF_8)));
        // end

        assertThat(answer.block(TIMEOUT)).asString(UTF_8).isEqualTo("question");
        assertThat(pool.idleConnections()).isEqualTo(1);
        pool.disposeNow(TIMEOUT);
    }

    @Test
    void serverStopsWithinItsTimeout() {
        // snippet: stop
        UcxBoundServer server = UcxServer.create(resources)
                .handle(connection -> connection.activeMessages().receive(7)
                        .takeUntilOther(connection.onClosing())    // take no new work when the server stops
                        .concatMap(message -> handle(message.length()))
                        .then())
                .bindNow();

        // ... later: 5 s for the handlers, force after 10 s
        Mono<Void> stopped = server.disposeLater(Duration.ofSeconds(5), Duration.ofSeconds(10));
        // end
        UcxConnection connection = connect(server);
        connection.activeMessages().send(7, new byte[3]).block(TIMEOUT);
        await().atMost(TIMEOUT).untilAsserted(() -> assertThat(events).containsExactly("3"));

        stopped.block(TIMEOUT);
        connection.onTerminate().block(TIMEOUT);
    }

    private Mono<Void> handle(long length) {
        return Mono.fromRunnable(() -> events.add(Long.toString(length)));
    }
}
