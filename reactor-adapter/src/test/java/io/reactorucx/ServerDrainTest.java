package io.reactorucx;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.connection.ConnectionState;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.message.UcxRequestException;
import io.reactorucx.message.UcxRequestException.Reason;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.testsupport.TestTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.retry.Retry;

/** Requests while their server stops: what has begun completes, what begins may be repeated elsewhere. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(names = {"POSIX_BY_SOCKET_ADDRESS", "TCP_BY_SOCKET_ADDRESS"})
class ServerDrainTest implements NeedsUcx {

    private static final Duration LONG = Duration.ofHours(1);
    private static final byte[] REQUEST = "request".getBytes(UTF_8);
    private static final byte[] OTHER = "other".getBytes(UTF_8);
    private static final int EAGER_CLIENTS = 8;

    @Parameter
    private Route route;
    private UcxResources serverResources;
    private UcxResources clientResources;
    private final Held held = new Held();

    /** Holds each request until it is let go. */
    private final class Held implements UcxResponder {

        private final Sinks.Empty<Void> release = Sinks.empty();

        int count() {
            return release.currentSubscriberCount();
        }

        private Mono<UcxBuffer> answer(UcxBuffer request) {
            return release.asMono().then(Mono.fromSupplier(request::retain)).doFinally(end -> request.release());
        }

        @Override
        public Mono<Void> fireAndForget(UcxBuffer request) {
            request.release();
            return release.asMono();
        }

        @Override
        public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
            return answer(request);
        }

        @Override
        public Flux<UcxBuffer> requestStream(UcxBuffer request) {
            return answer(request).flux();
        }

        @Override
        public Flux<UcxBuffer> requestChannel(Flux<UcxBuffer> requests) {
            return requests.concatMap(this::answer);
        }
    }

    /** Who responds on a connection. */
    private enum Responding {
        RESPONDER {
            @Override
            UcxServer to(UcxServer server, UcxResponder responder) {
                return server.respond(responder);
            }
        },
        HANDLER {
            @Override
            UcxServer to(UcxServer server, UcxResponder responder) {
                return server.handle(connection -> connection.respond(responder));
            }
        },
        RESPONDER_BESIDE_HANDLER {
            @Override
            UcxServer to(UcxServer server, UcxResponder responder) {
                return server.respond(responder).handle(UcxConnection::onClosing);
            }
        };

        abstract UcxServer to(UcxServer server, UcxResponder responder);
    }

    /** A kind of request. */
    private enum Kind {
        FIRE_AND_FORGET {
            @Override
            Mono<String> send(UcxConnection client) {
                return client.requester().fireAndForget(REQUEST).thenReturn("sent");
            }
        },
        RESPONSE {
            @Override
            Mono<String> send(UcxConnection client) {
                return client.requester().requestResponse(REQUEST).map(ServerDrainTest::text);
            }
        },
        STREAM {
            @Override
            Mono<String> send(UcxConnection client) {
                return client.requester().requestStream(REQUEST).map(ServerDrainTest::text).last();
            }
        },
        CHANNEL {
            @Override
            Mono<String> send(UcxConnection client) {
                return client.requester().requestChannel(Mono.fromSupplier(() ->
                        client.resources().buffers().copyOf(REQUEST))).map(ServerDrainTest::text).last();
            }
        };

        abstract Mono<String> send(UcxConnection client);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, UTF_8);
    }

    private static String text(UcxBuffer buffer) {
        String text = buffer.toString(UTF_8);
        buffer.release();
        return text;
    }

    @BeforeEach
    void open() {
        serverResources = route.resources().build();
        clientResources = route.resources().build();
    }

    @AfterEach
    void close() {
        if (serverResources != null) {
            clientResources.disposeNow();
            serverResources.disposeNow();
        }
    }

    private UcxBoundServer bind(UnaryOperator<UcxServer> change) {
        return change.apply(UcxServer.create(serverResources)).bindNow();
    }

    private UcxConnection connect(UcxBoundServer server) {
        return UcxClient.create(clientResources).remoteAddress("127.0.0.1", server.port()).connectNow();
    }

    private static void assertRefused(Throwable failure) {
        assertThat(failure).isInstanceOfSatisfying(UcxRequestException.class, refused -> {
            assertThat(refused.reason()).isEqualTo(Reason.REFUSED);
            assertThat(refused.isRetryable()).isTrue();
            assertThat(refused).hasMessage("the server is stopping");
        });
    }

    @ParameterizedTest
    @EnumSource
    void whatHasBegunCompletesAndWhatBeginsIsRefused(Responding how) {
        UcxBoundServer server = bind(each -> how.to(each, held));
        UcxConnection busy = connect(server);
        CompletableFuture<byte[]> begun = busy.requester().requestResponse(REQUEST).toFuture();
        await().atMost(Waits.PATIENCE).until(() -> held.count() == 1);

        CompletableFuture<Void> stopped = server.disposeLater(LONG, LONG).toFuture();

        // The request that is refused is the sign that the stop has come here.
        await().atMost(Waits.PATIENCE).ignoreExceptions().until(() -> {
            assertRefused(Waits.failure(busy.requester().requestResponse(OTHER).timeout(TestTime.millis(200))
                    .toFuture()));
            return true;
        });
        assertThat(busy.state()).isEqualTo(ConnectionState.CONNECTED);
        assertThat(begun).isNotDone();
        assertThat(stopped).isNotDone();
        held.release.tryEmitEmpty();
        assertThat(Waits.get(begun)).isEqualTo(REQUEST);
        Waits.get(stopped);
        busy.onTerminate().block(Waits.PATIENCE);
    }

    @ParameterizedTest
    @EnumSource
    void idleClientsDoNotHoldTheStop(Responding how) {
        UcxBoundServer server = bind(each -> how.to(each, held));
        UcxConnection idle = connect(server);
        UcxConnection used = connect(server);
        held.release.tryEmitEmpty();
        assertThat(used.requester().requestResponse(REQUEST).block(Waits.PATIENCE)).isEqualTo(REQUEST);

        server.disposeLater(LONG, LONG).block(Waits.PATIENCE);

        idle.onTerminate().block(Waits.PATIENCE);
        used.onTerminate().block(Waits.PATIENCE);
    }

    @ParameterizedTest
    @EnumSource
    void eachKindOfRequestHoldsTheStop(Kind kind) {
        UcxBoundServer server = bind(each -> each.respond(held));
        UcxConnection idle = connect(server);
        UcxConnection busy = connect(server);
        CompletableFuture<String> begun = kind.send(busy).toFuture();
        await().atMost(Waits.PATIENCE).until(() -> held.count() == 1);

        CompletableFuture<Void> stopped = server.disposeLater(LONG, LONG).toFuture();

        idle.onTerminate().block(Waits.PATIENCE);
        Waits.engineOf(busy);
        assertThat(stopped).isNotDone();
        assertThat(busy.state()).isEqualTo(ConnectionState.CONNECTED);
        held.release.tryEmitEmpty();
        assertThat(Waits.get(begun)).isEqualTo(kind == Kind.FIRE_AND_FORGET ? "sent" : "request");
        Waits.get(stopped);
    }

    /** A request crosses with the end of the connection, or is refused: either may be repeated elsewhere. */
    @Test
    void clientsThatGoOnLoseNothingAndDoNotHoldTheStop() {
        UcxBoundServer other = bind(each -> each.respond(held));
        UcxBoundServer server = bind(each -> each.respond(held));
        UcxConnection elsewhere = connect(other);
        UcxConnection first = connect(server);
        held.release.tryEmitEmpty();
        Sinks.Empty<Void> enough = Sinks.empty();
        AtomicInteger answered = new AtomicInteger();
        CompletableFuture<Long> eager = Flux.range(0, EAGER_CLIENTS).flatMap(i -> Mono.defer(() ->
                (first.isDisposed() ? elsewhere : first).requester().requestResponse(REQUEST))
                .doOnNext(answer -> answered.incrementAndGet())
                .retryWhen(Retry.indefinitely().filter(ServerDrainTest::mayBeRepeated))
                .repeat().takeUntilOther(enough.asMono())).count().toFuture();
        await().atMost(Waits.PATIENCE).until(() -> answered.get() > EAGER_CLIENTS);

        server.disposeLater(LONG, LONG).block(Waits.PATIENCE);

        first.onTerminate().block(Waits.PATIENCE);
        assertThat(elsewhere.requester().requestResponse(REQUEST).block(Waits.PATIENCE)).isEqualTo(REQUEST);
        enough.tryEmitEmpty();
        assertThat(Waits.get(eager)).isPositive();
        other.disposeLater(LONG, LONG).block(Waits.PATIENCE);
    }

    private static boolean mayBeRepeated(Throwable error) {
        return switch (error) {
            case UcxRequestException refused -> refused.isRetryable();
            case UcxClosedException ended -> true;
            case UcxException lost -> lost.isConnectionLost() || lost.isRetryable();
            default -> false;
        };
    }
}
