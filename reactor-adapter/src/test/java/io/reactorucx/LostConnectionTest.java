package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.message.TaggedMessage;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** A connection that is lost, by its peer or with its engine, is not taken for one that has ended in good order. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SELF")
class LostConnectionTest implements NeedsUcx {

    private static final int ID = 7;

    @Parameter
    private Route route;
    private Peers peers;

    @AfterEach
    void close() {
        if (peers != null) {
            peers.close();
        }
    }

    private UcxConnection served() {
        peers = Peers.connect(route);
        return peers.served();
    }

    private static void assertLost(Throwable error) {
        assertThat(error).isInstanceOfSatisfying(UcxException.class, lost -> assertThat(lost.isConnectionLost())
                .isTrue())
                .isNotInstanceOf(UcxClosedException.class);
    }

    private void lose() {
        peers.client().close(CloseMode.FORCE).block(Waits.PATIENCE);
    }

    @Test
    void tagsThatAreAskedForAfterwardsFail() {
        UcxConnection served = served();

        StepVerifier.create(served.tags().receiveAll(1, -1, 100), 0).expectSubscription().then(() -> {
            lose();
            served.onDispose().block(Waits.PATIENCE);
        }).thenRequest(1).expectErrorSatisfies(LostConnectionTest::assertLost).verify(Waits.PATIENCE);
    }

    /** A subscriber's fault is its own: the other subscribers get their signals, and the connection ends. */
    @Test
    void subscriberThatThrowsFromTheLossKeepsNoConnectionOpen() {
        UcxConnection served = served();
        PendingOperation other = PendingOperation.of(served.tags().receive(2, Bytes.zeroed(8)));
        served.tags().receive(3, Bytes.zeroed(8)).subscribe(new CoreSubscriber<TaggedMessage>() {
            @Override
            public void onSubscribe(Subscription subscription) {
                subscription.request(1);
            }

            @Override
            public void onNext(TaggedMessage message) {
            }

            @Override
            public void onError(Throwable error) {
                throw new IllegalStateException("a planted fault");
            }

            @Override
            public void onComplete() {
            }
        });
        Waits.engineOf(served);

        lose();

        served.onDispose().block(Waits.PATIENCE);
        assertThat(other.failure()).isInstanceOf(UcxException.class);
    }

    @Test
    void receiversFailAlthoughTheFirstToHearOfItClosesByForce() {
        UcxConnection served = served();
        Inbox inbox = Inbox.of(served, ID);
        PendingOperation other = PendingOperation.of(served.tags().receive(2, Bytes.zeroed(8)));
        PendingOperation first = PendingOperation.of(served.tags().receive(1, Bytes.zeroed(8))
                .doOnError(lost -> served.close(CloseMode.FORCE).subscribe()));
        Waits.engineOf(served);

        lose();

        assertLost(first.failure());
        assertLost(other.failure());
        assertLost(Waits.failure(inbox.end()));
        served.onDispose().block(Waits.PATIENCE);
    }

    @Test
    void receiversFailAlthoughTheFirstToHearOfItDisposes() {
        UcxConnection served = served();
        Inbox inbox = Inbox.of(served, ID);
        PendingOperation stream = PendingOperation.of(served.streams().receive(8).doOnError(lost -> served.dispose())
                .then());
        Waits.engineOf(served);

        lose();

        assertLost(stream.failure());
        assertLost(Waits.failure(inbox.end()));
        served.onDispose().block(Waits.PATIENCE);
    }

    @Test
    void streamThatWaitsToBeAskedForEndsWithTheEngine() {
        UcxConnection served = served();
        Disposable before = served.streams().receive(16).subscribe(UcxBuffer::release);
        Waits.engineOf(served);
        before.dispose();
        Waits.engineOf(served);
        MemorySegment payload = Bytes.pattern(1, 32);

        endsWithTheEngine(served.streams().receive(16), () ->
                PendingOperation.of(peers.client().streams().send(payload)).assertDone());

        assertThat(peers.serverResources().buffers().leases()).isZero();
        assertThat(peers.serverResources().context().isClosed()).isTrue();
    }

    @Test
    void messagesThatWaitToBeAskedForEndWithTheEngine() {
        UcxConnection served = served();

        endsWithTheEngine(served.activeMessages().receive(ID),
                () -> peers.client().activeMessages().send(ID, new byte[] {1}).block(Waits.PATIENCE));
    }

    private void endsWithTheEngine(Flux<?> receive, Runnable send) {
        StepVerifier.create(receive, 0).expectSubscription().then(() -> {
            Waits.engineOf(peers.served());
            send.run();
            // What was sent before has arrived by then.
            peers.assertWorks();
            peers.serverResources().disposeNow();
        }).expectError(UcxClosedException.class).verify(Waits.PATIENCE);
        await().atMost(Waits.PATIENCE).until(() -> peers.clientResources().openConnections() == 0);
    }
}
