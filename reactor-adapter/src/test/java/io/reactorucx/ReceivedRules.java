package io.reactorucx;

import io.reactorucx.core.CloseMode;
import java.util.concurrent.atomic.AtomicLong;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * The rules for a Flux of what a peer sends: each publisher has a connection of its own, over which the peer sends once
 * somebody has subscribed, and which it closes when all has been taken.
 */
abstract class ReceivedRules<T> extends PublisherRules<T> {

    private volatile Taken taken = new Taken(0);

    /** What is received over a connection. */
    abstract Flux<T> receive(UcxConnection served);

    /** Sends one element. */
    abstract Mono<Void> send(UcxConnection client);

    /** How many elements a subscriber has taken of those it will get. */
    private static final class Taken {

        private final AtomicLong missing;
        private final Sinks.Empty<Void> all = Sinks.empty();

        Taken(long elements) {
            missing = new AtomicLong(elements);
            if (elements == 0) {
                all.tryEmitEmpty();
            }
        }

        void one() {
            if (missing.decrementAndGet() == 0) {
                all.tryEmitEmpty();
            }
        }
    }

    @Override
    final Publisher<T> publisher(long elements) {
        UcxConnection client = peers.connect();
        // By force: a rule that leaves in the middle leaves offers behind, for which an end in good order would wait.
        closeAfterwards(() -> client.close(CloseMode.FORCE).block(Waits.PATIENCE));
        UcxConnection served = peers.nextServed();
        Taken expected = new Taken(elements);
        taken = expected;
        Flux<T> received = receive(served);
        Mono<Void> feed = Flux.range(0, (int) Math.min(elements, MAX_SENT)).concatMap(number -> send(client))
                .then(expected.all.asMono())
                .then(client.close());
        return actual -> feed(received, actual, served, feed);
    }

    private void feed(Flux<T> received, Subscriber<? super T> actual, UcxConnection served, Mono<Void> feed) {
        received.subscribe(actual);
        // Nothing is sent before the receiver is known to its engine.
        Waits.engineOf(served);
        closeAfterwards(PendingOperation.of(feed)::cancel);
    }

    @Override
    void release(T element) {
        taken.one();
    }

    /** A Flux of a connection that has ended. */
    final Flux<T> ofClosedConnection() {
        UcxConnection client = peers.connect();
        UcxConnection served = peers.nextServed();
        client.close().block(Waits.PATIENCE);
        served.onDispose().block(Waits.PATIENCE);
        return receive(served);
    }
}
