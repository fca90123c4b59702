package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.message.ActiveMessage;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/** A subscriber that leaves, at any moment: its memory goes back where it came from, once UCX is done with it. */
@Tag("slow")
class CancellationTest extends SharedPeers {

    private static final int ID = 13;

    private Inbox inbox;

    @BeforeEach
    void receive() {
        inbox = Inbox.of(peers.served(), ID);
    }

    @AfterEach
    void stopReceiving() {
        inbox.cancel();
    }

    private UcxBuffer lease() {
        UcxBuffer lease = peers.clientResources().buffers().acquire(Bytes.MIB);
        Bytes.fill(lease.segment(), 1);
        return lease;
    }

    private Mono<Void> send(UcxBuffer lease) {
        return peers.client().activeMessages().send(ID, MemorySegment.NULL, lease, AmProtocol.RENDEZVOUS);
    }

    private int leases() {
        return peers.clientResources().buffers().leases();
    }

    private static BaseSubscriber<Object> unasked() {
        return new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                // Asks for nothing.
            }
        };
    }

    @Test
    void sendThatWasNeverAskedForIsNotSent() {
        UcxBuffer lease = lease();
        BaseSubscriber<Object> subscriber = unasked();
        send(lease).subscribe(subscriber);
        lease.release();
        assertThat(leases()).isEqualTo(1);

        subscriber.cancel();

        assertThat(leases()).isZero();
        peers.assertWorks();
        assertThat(inbox.size()).isZero();
    }

    @Test
    void sendThatIsUnderWayKeepsItsLeaseUntilUcxIsDone() {
        UcxBuffer lease = lease();
        PendingOperation sent = PendingOperation.of(send(lease));
        lease.release();
        ActiveMessage offer = inbox.next();

        sent.cancel();
        Waits.engineOf(peers.client());
        assertThat(leases()).isEqualTo(1);

        Bytes.assertSame(Bytes.of(offer), Bytes.pattern(1, Bytes.MIB));
        await().atMost(Waits.PATIENCE).until(() -> leases() == 0);
        sent.assertPending();
    }

    @Test
    void sendMayBeCancelledAtAnyMoment() {
        AtomicInteger ends = new AtomicInteger();
        for (int i = 0; i < 200; i++) {
            UcxBuffer lease = lease();
            Disposable sending = send(lease).doOnTerminate(ends::incrementAndGet).subscribe();
            lease.release();
            spin(i * 200);
            sending.dispose();
            while (inbox.size() > 0) {
                inbox.next().discard();
            }
        }
        await().atMost(Waits.PATIENCE).until(() -> {
            while (inbox.size() > 0) {
                inbox.next().discard();
            }
            return leases() == 0;
        });
        peers.assertWorks();
        assertThat(ends.get()).isLessThanOrEqualTo(200);
    }

    private static void spin(int rounds) {
        for (int i = 0; i < rounds; i++) {
            Thread.onSpinWait();
        }
    }

    @Test
    void fetchThatIsCancelledBeforeItBeginsGivesTheOfferUp() {
        UcxBuffer lease = lease();
        PendingOperation sent = PendingOperation.of(send(lease));
        lease.release();
        ActiveMessage offer = inbox.next();
        BaseSubscriber<Object> subscriber = unasked();
        offer.fetch(peers.serverResources().buffers()).subscribe(subscriber);
        sent.assertPending();
        subscriber.cancel();

        sent.assertDone();
        assertThat(offer.isDisposed()).isTrue();
    }

    @Test
    void fetchMayBeCancelledAtAnyMoment() {
        // Where the subscriber itself drops what it got after its cancel, Reactor tells this hook.
        Consumer<Object> dropped = lease -> ((UcxBuffer) lease).release();
        Context hooks = Context.of("reactor.onNextDropped.local", dropped);
        for (int i = 0; i < 200; i++) {
            UcxBuffer lease = lease();
            PendingOperation sent = PendingOperation.of(send(lease));
            lease.release();
            ActiveMessage offer = inbox.next();
            Disposable fetching = offer.fetch(peers.serverResources().buffers())
                    .doOnDiscard(UcxBuffer.class, UcxBuffer::release)
                    .subscribe(UcxBuffer::release, error -> { }, () -> { }, hooks);
            spin(i * 200);
            fetching.dispose();
            sent.assertDone();
        }
        await().atMost(Waits.PATIENCE).until(() -> peers.serverResources().buffers().leases() == 0 && leases() == 0);
        peers.assertWorks();
    }

    @Test
    void readInChunksMayBeCancelledAtAnyMoment() {
        UcpMemory memory = peers.serverResources().registerMemory(Bytes.pattern(2, 4L * Bytes.MIB));
        RemoteMemory remote = peers.client().memory(memory.descriptor());
        AtomicInteger received = new AtomicInteger();
        for (int i = 0; i < 100; i++) {
            Disposable reading = remote.getFlux(100_000, 8).subscribe(buffer -> {
                received.incrementAndGet();
                buffer.release();
            });
            spin(i * 1000);
            reading.dispose();
        }
        await().atMost(Waits.PATIENCE).until(() -> leases() == 0);
        peers.assertWorks();

        assertThat(remote.getFlux(100_000, 8).take(3).doOnNext(UcxBuffer::release).count().block(Waits.PATIENCE))
                .isEqualTo(3);
        await().atMost(Waits.PATIENCE).until(() -> leases() == 0);
        assertThat(received.get()).isLessThanOrEqualTo(100 * 42);
        remote.close();
        Waits.engineOf(peers.client());
        memory.close();
    }

    @Test
    void slowReaderBoundsWhatIsLeased() {
        UcpMemory memory = peers.serverResources().registerMemory(Bytes.pattern(2, 4L * Bytes.MIB));
        RemoteMemory remote = peers.client().memory(memory.descriptor());
        AtomicInteger most = new AtomicInteger();

        long chunks = Objects.requireNonNull(remote.getFlux(100_000, 3).concatMap(buffer -> {
            most.accumulateAndGet(leases(), Math::max);
            return Mono.fromRunnable(buffer::release).subscribeOn(Schedulers.parallel()).thenReturn(1);
        }, 1).count().block(Waits.PATIENCE));

        assertThat(chunks).isEqualTo(42);
        assertThat(most.get()).isBetween(1, 5);
        remote.close();
        Waits.engineOf(peers.client());
        memory.close();
    }

    @Test
    void getMayBeCancelledAtAnyMoment() {
        UcpMemory memory = peers.serverResources().allocateMemory(Bytes.MIB);
        RemoteMemory remote = peers.client().memory(memory.descriptor());
        for (int i = 0; i < 100; i++) {
            Disposable reading = Flux.merge(remote.get(0, Bytes.zeroed(Bytes.MIB)), remote.put(0, Bytes.zeroed(1000)),
                    remote.flush())
                    .subscribe();
            spin(i * 1000);
            reading.dispose();
        }
        peers.client().flush().block(Waits.PATIENCE);
        remote.close();
        Waits.engineOf(peers.client());
        memory.close();
    }
}
