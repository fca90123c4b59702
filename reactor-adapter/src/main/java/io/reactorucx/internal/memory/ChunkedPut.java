package io.reactorucx.internal.memory;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.internal.concurrent.ApplicationErrors;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Writes the leases of a source, of which a limited number are in flight, and releases them. Completes when all have
 * been written. The first failure ends it, cancels the source, and gives up what is in flight.
 */
final class ChunkedPut extends Mono<Void> {

    private final Publisher<? extends UcxBuffer> source;
    private final int prefetch;
    private final Write write;

    ChunkedPut(Publisher<? extends UcxBuffer> source, int prefetch, Write write) {
        this.source = source;
        this.prefetch = prefetch;
        this.write = write;
    }

    /** Makes the operation that writes the next lease, and begins when its result is requested. */
    @FunctionalInterface
    interface Write {

        Subscription operation(UcxBuffer lease, CoreSubscriber<? super Void> subscriber);
    }

    @Override
    public void subscribe(CoreSubscriber<? super Void> actual) {
        source.subscribe(new Window(this, actual));
    }

    /** One subscription, and the source's subscriber. */
    private static final class Window implements CoreSubscriber<UcxBuffer>, Subscription {

        private final ChunkedPut put;
        private final CoreSubscriber<? super Void> actual;
        private final Context context;
        private final Set<Chunk> inFlight = ConcurrentHashMap.newKeySet();
        /** The writes in flight, and one more until the source has completed. */
        private final AtomicInteger pending = new AtomicInteger(1);
        private final AtomicBoolean ended = new AtomicBoolean();
        private @Nullable Subscription upstream;

        Window(ChunkedPut put, CoreSubscriber<? super Void> actual) {
            this.put = put;
            this.actual = actual;
            // Leases that the source's operators hold when they are cancelled.
            this.context = Operators.enableOnDiscard(actual.currentContext(), UcxBuffer::discard);
        }

        @Override
        public Context currentContext() {
            return context;
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            if (Operators.validate(upstream, subscription)) {
                upstream = subscription;
                actual.onSubscribe(this);
                subscription.request(put.prefetch);
            }
        }

        @Override
        public void onNext(UcxBuffer lease) {
            if (upstream == null) {
                failUnsubscribed(null);
            }
            Chunk chunk = new Chunk(this, lease);
            inFlight.add(chunk);
            pending.incrementAndGet();
            if (ended.get()) {
                chunk.giveUp();
                return;
            }
            Subscription operation;
            try {
                operation = put.write.operation(lease, chunk);
            } catch (RuntimeException e) {
                fail(e);
                return;
            }
            chunk.begin(operation);
        }

        @Override
        public void onError(Throwable error) {
            if (upstream == null) {
                failUnsubscribed(error);
            } else if (ended.get()) {
                Operators.onErrorDropped(error, context);
            } else {
                fail(error);
            }
        }

        @Override
        public void onComplete() {
            if (upstream == null) {
                failUnsubscribed(null);
            } else {
                completedOne();
            }
        }

        /** The source signals before it has called onSubscribe. */
        private void failUnsubscribed(@Nullable Throwable failure) {
            upstream = Operators.emptySubscription();
            ended.set(true);
            Operators.error(actual, ApplicationErrors.notSubscribed(failure));
        }

        private void written() {
            completedOne();
            Subscription source = upstream;
            if (source != null && !ended.get()) {
                source.request(1);
            }
        }

        private void completedOne() {
            if (pending.decrementAndGet() == 0 && ended.compareAndSet(false, true)) {
                actual.onComplete();
            }
        }

        /** Of several failures the first one counts. */
        private void fail(Throwable error) {
            if (giveUp()) {
                actual.onError(error);
            }
        }

        @Override
        public void request(long n) {
            // There is no value; the writes begin without a request.
        }

        @Override
        public void cancel() {
            giveUp();
        }

        /** Returns whether this call has ended it. */
        private boolean giveUp() {
            if (!ended.compareAndSet(false, true)) {
                return false;
            }
            Subscription source = upstream;
            if (source != null) {
                source.cancel();
            }
            inFlight.forEach(Chunk::giveUp);
            return true;
        }
    }

    /** One write. */
    private static final class Chunk implements CoreSubscriber<Void> {

        private final Window window;
        private final UcxBuffer lease;
        private volatile @Nullable Subscription operation;

        Chunk(Window window, UcxBuffer lease) {
            this.window = window;
            this.lease = lease;
        }

        void begin(Subscription posted) {
            operation = posted;
            if (window.ended.get()) {
                posted.cancel();
            } else {
                posted.request(1);
            }
        }

        @Override
        public Context currentContext() {
            return window.context;
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            // The window has the operation.
        }

        @Override
        public void onNext(Void nothing) {
            // A write emits nothing.
        }

        @Override
        public void onError(Throwable error) {
            release();
            window.fail(error);
        }

        @Override
        public void onComplete() {
            release();
            window.written();
        }

        /** The operation keeps the memory as long as it uses it. */
        void giveUp() {
            release();
            Subscription posted = operation;
            if (posted != null) {
                posted.cancel();
            }
        }

        /** Releases the source's reference once. */
        private void release() {
            if (window.inFlight.remove(this)) {
                lease.dispose();
            }
        }
    }
}
