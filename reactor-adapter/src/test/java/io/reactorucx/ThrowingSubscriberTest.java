package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.testsupport.NoLeaks;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/** A subscriber that throws is treated by Reactor's rules: hooks, cancellation, and then {@code onError}. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class ThrowingSubscriberTest implements NeedsUcx {

    private static final int ID = 7;
    private static final long TAG = 0x77L;
    private static final RuntimeException THROWN = new IllegalStateException("thrown by the subscriber");

    private final Queue<String> heard = new ConcurrentLinkedQueue<>();
    private Peers peers;

    /** What a connection receives. */
    enum Source {
        MESSAGES {
            @Override
            Flux<?> receive(UcxConnection connection) {
                return connection.inbound().receive();
            }

            @Override
            Mono<Void> send(UcxConnection connection) {
                return connection.outbound().sendByteArrays(Flux.just(new byte[1], new byte[2], new byte[3]));
            }
        },
        LARGE_MESSAGES {
            @Override
            Flux<?> receive(UcxConnection connection) {
                return connection.inbound().receive();
            }

            @Override
            Mono<Void> send(UcxConnection connection) {
                return connection.outbound().sendByteArrays(Flux.just(new byte[100_000], new byte[100_000]));
            }
        },
        ACTIVE_MESSAGES {
            @Override
            Flux<?> receive(UcxConnection connection) {
                return connection.activeMessages().receive(ID);
            }

            @Override
            Mono<Void> send(UcxConnection connection) {
                return connection.activeMessages().send(ID, new byte[1])
                        .then(connection.activeMessages().send(ID, new byte[2]));
            }
        },
        TAGS {
            @Override
            Flux<?> receive(UcxConnection connection) {
                return connection.tags().receiveAll(TAG, -1L, 100);
            }

            @Override
            Mono<Void> send(UcxConnection connection) {
                return connection.tags().send(TAG, Bytes.zeroed(1));
            }
        },
        BYTE_STREAM {
            @Override
            Flux<?> receive(UcxConnection connection) {
                return connection.streams().receive(100);
            }

            @Override
            Mono<Void> send(UcxConnection connection) {
                return connection.streams().send(Bytes.zeroed(1));
            }
        };

        abstract Flux<?> receive(UcxConnection connection);

        abstract Mono<Void> send(UcxConnection connection);
    }

    /** Throws at each value, and says what it hears. It releases nothing: the library has to. */
    private static class Thrower implements CoreSubscriber<Object> {

        private final Queue<String> heard;
        private final Context context;

        Thrower(Queue<String> heard) {
            this.heard = heard;
            // The keys of Reactor's hooks for one subscriber.
            BiFunction<Throwable, Object, Throwable> onOperatorError = (error, value) -> {
                heard.add("onOperatorError " + error.getMessage());
                return error;
            };
            Consumer<Throwable> onErrorDropped = error -> heard.add("onErrorDropped " + error.getMessage());
            this.context = Context.of("reactor.onOperatorError.local", onOperatorError,
                    "reactor.onErrorDropped.local", onErrorDropped);
        }

        @Override
        public Context currentContext() {
            return context;
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(Object value) {
            heard.add("onNext");
            throw THROWN;
        }

        @Override
        public void onError(Throwable error) {
            heard.add("onError " + error.getMessage());
        }

        @Override
        public void onComplete() {
            heard.add("onComplete");
        }
    }

    @BeforeEach
    void connect() {
        peers = Peers.connect(Route.POSIX_BY_SOCKET_ADDRESS);
    }

    @AfterEach
    void close() {
        if (peers != null) {
            // Ends the receives of the byte stream, which keep their leases.
            peers.client().close().block(Waits.PATIENCE);
            peers.served().onDispose().block(Waits.PATIENCE);
            peers.close();
        }
    }

    private void send(Source source) {
        PendingOperation.of(source.send(peers.client())).awaitEnd();
        Waits.engineOf(peers.client());
    }

    @ParameterizedTest
    @EnumSource
    void getsItsErrorAfterTheHook(Source source) {
        source.receive(peers.served()).subscribe(new Thrower(heard));
        Waits.engineOf(peers.served());

        send(source);

        await().atMost(Waits.PATIENCE).until(() -> heard.size() >= 3);
        peers.assertWorks();
        assertThat(heard).containsExactly("onNext", "onOperatorError thrown by the subscriber",
                "onError thrown by the subscriber");
    }

    @ParameterizedTest
    @EnumSource
    void errorThatItThrowsAtItsErrorIsDropped(Source source) {
        source.receive(peers.served()).subscribe(new Thrower(heard) {
            @Override
            public void onError(Throwable error) {
                throw new IllegalStateException("thrown at the error");
            }
        });
        Waits.engineOf(peers.served());

        send(source);

        await().atMost(Waits.PATIENCE).until(() -> heard.contains("onErrorDropped thrown at the error"));
        peers.assertWorks();
        // An operator in between may catch it first, and call the hook for operators itself.
        assertThat(heard).startsWith("onNext", "onOperatorError thrown by the subscriber")
                .doesNotContain("onComplete", "onError thrown by the subscriber")
                .endsWith("onErrorDropped thrown at the error").doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @EnumSource(names = {"MESSAGES", "LARGE_MESSAGES", "ACTIVE_MESSAGES", "BYTE_STREAM"})
    void strategyOfItsContextLetsItContinue(Source source) {
        Queue<Class<?>> skipped = new ConcurrentLinkedQueue<>();
        source.receive(peers.served()).onErrorContinue((error, value) -> skipped.add(value.getClass()))
                .subscribe(new Thrower(heard));
        Waits.engineOf(peers.served());

        send(source);
        send(source);

        await().atMost(Waits.PATIENCE).until(() -> skipped.size() >= 2);
        assertThat(heard).containsOnly("onNext");
        peers.client().close().block(Waits.PATIENCE);
        await().atMost(Waits.PATIENCE).until(() -> heard.contains("onComplete"));
    }

    @ParameterizedTest
    @EnumSource(names = {"MESSAGES", "ACTIVE_MESSAGES", "BYTE_STREAM"})
    void errorAfterItsOwnCancelIsDropped(Source source) {
        source.receive(peers.served()).subscribe(new Thrower(heard) {
            private Subscription subscription;

            @Override
            public void onSubscribe(Subscription upstream) {
                subscription = upstream;
                super.onSubscribe(upstream);
            }

            @Override
            public void onNext(Object value) {
                subscription.cancel();
                super.onNext(value);
            }
        });
        Waits.engineOf(peers.served());

        send(source);

        await().atMost(Waits.PATIENCE).until(() -> heard.size() >= 3);
        peers.assertWorks();
        assertThat(heard).containsExactly("onNext", "onOperatorError thrown by the subscriber",
                "onErrorDropped thrown by the subscriber");
    }

    @ParameterizedTest
    @EnumSource(names = {"MESSAGES", "ACTIVE_MESSAGES"})
    void errorAtTheCompletionIsDropped(Source source) {
        source.receive(peers.served()).subscribe(new Thrower(heard) {
            @Override
            public void onNext(Object value) {
                UcxBuffer.discard(value);
            }

            @Override
            public void onComplete() {
                throw new IllegalStateException("thrown at the end");
            }
        });
        Waits.engineOf(peers.served());

        peers.client().close().block(Waits.PATIENCE);

        await().atMost(Waits.PATIENCE).until(() -> !heard.isEmpty());
        assertThat(heard).containsExactly("onErrorDropped thrown at the end");
    }
}
