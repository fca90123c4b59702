package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;

/** Who owns a lease when an operation or a request is cancelled. */
@ExtendWith(NoLeaks.class)
class LeaseOwnershipTest implements NeedsUcx {

    private static final int ID = 3;

    private final Queue<Throwable> dropped = new ConcurrentLinkedQueue<>();
    private Peers peers;

    @BeforeEach
    void connect() {
        peers = Peers.connect(Route.POSIX_BY_SOCKET_ADDRESS);
        Hooks.onErrorDropped(dropped::add);
    }

    @AfterEach
    void close() {
        try {
            if (peers != null) {
                peers.close();
            }
        } finally {
            Hooks.resetOnErrorDropped();
        }
        assertThat(dropped).isEmpty();
    }

    private UcxBuffer lease() {
        return peers.clientResources().buffers().copyOf(new byte[] {1, 2, 3});
    }

    private static void subscribeAndCancel(Mono<Void> operation) {
        operation.subscribe(new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                cancel();
            }
        });
    }

    @Test
    void sendThatIsCancelledBeforeItsSubscriptionNeedsNoLease() {
        UcxBuffer lease = lease();

        // As Mono.using does, when its subscriber cancels before the operation inside is subscribed to.
        lease.release();
        subscribeAndCancel(peers.client().activeMessages().send(ID, MemorySegment.NULL, lease, AmProtocol.AUTO));

        assertThat(lease.isDisposed()).isTrue();
    }

    @Test
    void putThatIsCancelledBeforeItsSubscriptionNeedsNoLease() {
        MemorySegment window = Bytes.zeroed(100);
        var exported = peers.served().exportMemory(window, EnumSet.allOf(MemoryRight.class));
        RemoteMemory memory = peers.client().memory(exported.descriptor());
        UcxBuffer lease = lease();

        lease.release();
        subscribeAndCancel(memory.put(0, lease));

        assertThat(lease.isDisposed()).isTrue();
        exported.revoke().block(Waits.PATIENCE);
    }

    /** A subscriber that breaks rule 2.13 of Reactive Streams. */
    private static final class ThrowingSubscriber implements Subscriber<Object> {

        @Override
        public void onSubscribe(Subscription subscription) {
            throw new IllegalStateException("a subscriber of a test");
        }

        @Override
        public void onNext(Object value) {
            throw new AssertionError("a value after the subscriber has thrown: " + value);
        }

        @Override
        public void onError(Throwable error) {
            // Reactor passes on what it threw.
        }

        @Override
        public void onComplete() {
            throw new AssertionError("an end after the subscriber has thrown");
        }
    }

    @Test
    void requestWhoseSubscriberThrowsAtItsSubscriptionReleasesItsLease() {
        UcxBuffer lease = lease();

        peers.client().requester().requestResponse(lease).subscribe(new ThrowingSubscriber());

        Waits.soon().untilAsserted(() -> assertThat(lease.isDisposed()).isTrue());
    }

    @Test
    void sendWhoseSubscriberThrowsAtItsSubscriptionKeepsNoReference() {
        UcxBuffer lease = lease();

        peers.client().activeMessages().send(ID, MemorySegment.NULL, lease, AmProtocol.AUTO)
                .subscribe(new ThrowingSubscriber());
        lease.release();

        assertThat(lease.isDisposed()).isTrue();
    }

    /** A mistake of the application, for which UCX has both messages before the first release. */
    @Test
    void largeLeaseThatIsSentTwiceEndsItsSend() {
        UcxBuffer lease = peers.clientResources().buffers().copyOf(new byte[20_000]);
        peers.served().inbound().receive().subscribe(UcxBuffer::release);

        Signal<Void> end = peers.client().outbound().send(Flux.just(lease, lease)).materialize().block(Waits.PATIENCE);

        assertThat(end).isNotNull();
        await().atMost(Waits.PATIENCE).until(() -> peers.clientResources().buffers().leases() == 0);
    }

    @Test
    void sendOfAReleasedLeaseFails() {
        UcxBuffer lease = lease();
        lease.release();

        assertThat(Waits.failure(peers.client().activeMessages().send(ID, MemorySegment.NULL, lease, AmProtocol.AUTO)
                .toFuture())).isInstanceOf(IllegalStateException.class)
                .hasMessage("buffer of 3 bytes: it was released");
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 100_000})
    void cancelledRequestStaysItsRespondersToRelease(int bytes) {
        CompletableFuture<Void> asked = new CompletableFuture<>();
        CompletableFuture<Integer> read = new CompletableFuture<>();
        peers.served().respond(new UcxResponder() {
            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                return Mono.<UcxBuffer>never().doOnSubscribe(subscription -> asked.complete(null)).doFinally(end -> {
                    read.complete(request.toByteArray().length);
                    request.release();
                });
            }
        }).subscribe(ignored -> { }, error -> { });
        Waits.engineOf(peers.served());
        PendingOperation request = PendingOperation.of(peers.client().requester().requestResponse(new byte[bytes]));
        Waits.get(asked);

        request.cancel();

        assertThat(Waits.get(read)).isEqualTo(bytes);
    }

    @Test
    void requestsThatAreCancelledAtAnyTimeLeaveNothing() {
        AtomicInteger served = new AtomicInteger();
        peers.served().respond(new UcxResponder() {
            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                served.incrementAndGet();
                return Mono.just(request);
            }

            @Override
            public Flux<UcxBuffer> requestStream(UcxBuffer request) {
                served.incrementAndGet();
                return Flux.range(0, 100).map(number -> request.retain()).doFinally(end -> request.release());
            }
        }).subscribe(ignored -> { }, error -> { });
        Waits.engineOf(peers.served());
        UcxRequester requester = peers.client().requester();

        for (int i = 0; i < 500; i++) {
            byte[] request = new byte[i % 3 == 0 ? 50_000 : 10];
            PendingOperation operation = PendingOperation.of(i % 2 == 0 ? requester.requestResponse(request)
                    : requester.requestStream(request).then());
            if (i % 5 == 0) {
                Waits.engineOf(peers.client());
            }
            operation.cancel();
        }

        await().atMost(Waits.PATIENCE).untilAsserted(() ->
                assertThat(requester.requestResponse(new byte[1]).block(Waits.PATIENCE)).hasSize(1));
        assertThat(served).hasPositiveValue();
    }
}
