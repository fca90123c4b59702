package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.Ucx;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.internal.message.MessageProtocol;
import io.reactorucx.testsupport.NoLeaks;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Faults of the application's subscribers and sources: the connection either continues, or ends with an error. */
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(names = {"POSIX_BY_SOCKET_ADDRESS", "TCP_BY_SOCKET_ADDRESS"})
class MessageFaultTest implements NeedsUcx {

    @Parameter
    private Route route;
    private Peers peers;

    @BeforeEach
    void connect() {
        if (Ucx.isAvailable()) {
            peers = Peers.connect(route);
        }
    }

    @AfterEach
    void close() {
        if (peers != null) {
            assertThat(peers.serverResources().messageStatistics().getFirst().violations()).as("violations").isZero();
            peers.close();
        }
    }

    private PendingOperation send(int count) {
        return PendingOperation.of(peers.client().outbound()
                .sendByteArrays(Flux.range(0, count).map(number -> new byte[10])));
    }

    private static void assertMessagesPass(UcxConnection from, UcxConnection to) {
        CompletableFuture<String> received = to.inbound().receiveStrings().next().toFuture();
        PendingOperation sent = PendingOperation.of(from.outbound().sendStrings(Mono.just("still here")));
        assertThat(Waits.get(received)).isEqualTo("still here");
        sent.assertDone();
    }

    @Test
    void faultWhileParsingEndsTheConnection() {
        for (Throwable fault : new Throwable[] {new IllegalStateException("a planted fault"),
            new AssertionError("a planted fault")}) {
            UcxConnection client = peers.connect();
            UcxConnection served = peers.nextServed();
            MessageProtocol protocol = served.messages();
            protocol.context().execute(() -> protocol.streams().accept((stream, first) -> {
                if (fault instanceof RuntimeException exception) {
                    throw exception;
                }
                throw (Error) fault;
            }));
            CompletableFuture<String> there = served.inbound().receiveStrings().next().toFuture();
            CompletableFuture<byte[]> answer = client.requester().requestResponse(new byte[10]).toFuture();

            assertThat(Waits.failure(there)).isInstanceOfSatisfying(UcxException.class, error -> {
                assertThat(error.status()).isEqualTo(UcxStatus.IO_ERROR);
                assertThat(error).hasMessageContaining("could not be taken").hasMessageContaining("a planted fault")
                        .hasCause(fault);
            });
            assertThat(Waits.failure(answer)).isInstanceOf(UcxException.class);
            client.onDispose().block(Waits.PATIENCE);
            served.onDispose().block(Waits.PATIENCE);
        }
        assertMessagesPass(peers.client(), peers.served());
    }

    @Test
    void receiverThatClosesByForceIsSignalledTheEnd() {
        CompletableFuture<Void> end = peers.served().inbound().receive().doOnNext(message -> {
            message.release();
            peers.served().close(CloseMode.FORCE).subscribe();
        }).then().toFuture();

        send(100).awaitEnd();

        assertThat(end.handle((nothing, error) -> true)).succeedsWithin(Waits.PATIENCE);
    }

    @Test
    void receiverThatSubscribesWithinTheEndOfTheFormerOneIsSignalledToo() {
        AtomicInteger ends = new AtomicInteger();
        CompletableFuture<Long> received = peers.served().inbound().receiveByteArrays()
                .doOnComplete(ends::incrementAndGet).repeat(3).count()
                .toFuture();
        send(1).assertDone();

        peers.client().close().block(Waits.PATIENCE);

        assertThat(Waits.get(received)).isEqualTo(1);
        assertThat(ends).hasValue(4);
    }

    /** Throws at its end. Not one of Reactor's subscribers, since these catch what their hooks throw. */
    private static final class Throwing implements CoreSubscriber<Object> {

        private final CompletableFuture<Void> end = new CompletableFuture<>();

        @Override
        public void onSubscribe(Subscription subscription) {
            subscription.request(1);
        }

        @Override
        public void onNext(Object message) {
            // The peer sends no message.
        }

        @Override
        public void onComplete() {
            end.complete(null);
            throw new LinkageError("this subscriber throws");
        }

        @Override
        public void onError(Throwable error) {
            end.completeExceptionally(error);
            throw new LinkageError("this subscriber throws");
        }
    }

    @Test
    void subscribersThatThrowAtTheEndDoNotAffectOthers() {
        Throwing receiver = new Throwing();
        Throwing sender = new Throwing();
        peers.served().inbound().receive().subscribe(receiver);
        peers.served().outbound().sendStrings(Flux.never()).subscribe(sender);
        PendingOperation other = PendingOperation.of(peers.served().outbound().sendStrings(Flux.never()));
        CompletableFuture<byte[]> answer = peers.served().requester().requestResponse(new byte[10]).toFuture();
        Waits.engineOf(peers.served());

        peers.client().close(CloseMode.FORCE).block(Waits.PATIENCE);

        assertThat(Waits.failure(receiver.end)).isInstanceOf(UcxException.class);
        assertThat(Waits.failure(sender.end)).isInstanceOf(UcxException.class);
        assertThat(other.failure()).isInstanceOf(UcxException.class);
        assertThat(answer).failsWithin(Waits.PATIENCE).withThrowableOfType(Exception.class);
        peers.served().onDispose().block(Waits.PATIENCE);
    }

    @Test
    void sourceThatThrowsInRequestFailsOnlyItsSend() {
        CompletableFuture<Long> received = peers.served().inbound().receiveByteArrays().take(10).count().toFuture();
        PendingOperation failed = PendingOperation.of(peers.client().outbound()
                .sendByteArrays(actual -> actual.onSubscribe(new Subscription() {
                    @Override
                    public void request(long n) {
                        throw new IllegalStateException("this source throws");
                    }

                    @Override
                    public void cancel() {
                        throw new IllegalStateException("this source throws again");
                    }
                })));

        assertThat(failed.failure()).isInstanceOf(IllegalStateException.class).hasMessage("this source throws");
        send(10).assertDone();
        assertThat(Waits.get(received)).isEqualTo(10);
    }
}
