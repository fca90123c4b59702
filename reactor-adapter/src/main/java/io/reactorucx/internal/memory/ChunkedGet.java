package io.reactorucx.internal.memory;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.internal.concurrent.ApplicationErrors;
import io.reactorucx.internal.concurrent.ThrownSignal;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Reads a part of a peer's memory in order, in chunks, of which a limited number are in flight or wait for demand. The
 * first chunk that fails ends it; the others are cancelled, and what they have read or will read is released.
 */
final class ChunkedGet extends Flux<UcxBuffer> {

    /** The words for the content of a lease, for the report of a leak. */
    static final String RECEIVED = "a part of the memory of";

    private final Read read;
    private final long offset;
    private final long end;
    private final int chunkBytes;
    private final int prefetch;

    ChunkedGet(Read read, long offset, long bytes, int chunkBytes, int prefetch) {
        this.read = read;
        this.offset = offset;
        this.end = offset + bytes;
        this.chunkBytes = chunkBytes;
        this.prefetch = prefetch;
    }

    /** Makes an operation that reads into a lease, and begins when its result is requested. */
    @FunctionalInterface
    interface Read {

        Subscription operation(long offset, int length, CoreSubscriber<? super UcxBuffer> subscriber);
    }

    @Override
    public void subscribe(CoreSubscriber<? super UcxBuffer> actual) {
        Window window = new Window(this, actual);
        actual.onSubscribe(window);
        window.drain();
    }

    /** One subscription. Signals come one at a time, from whichever thread finds something to do first. */
    private static final class Window implements Subscription {

        private final ChunkedGet get;
        private final CoreSubscriber<? super UcxBuffer> actual;
        private final AtomicInteger drains = new AtomicInteger();
        private final AtomicLong requested = new AtomicLong();
        private final AtomicReference<@Nullable Throwable> error = new AtomicReference<>();
        private volatile boolean cancelled;
        // From here on only within drain.
        private final ArrayDeque<Chunk> chunks = new ArrayDeque<>();
        private long next;
        private long emitted;
        private boolean ended;

        Window(ChunkedGet get, CoreSubscriber<? super UcxBuffer> actual) {
            this.get = get;
            this.actual = actual;
            this.next = get.offset;
        }

        @Override
        public void request(long n) {
            if (n <= 0) {
                fail(new IllegalArgumentException("request of " + n
                        + ": must be at least 1 (rule 3.9 of Reactive Streams)"));
            } else {
                requested.accumulateAndGet(n, Operators::addCap);
                drain();
            }
        }

        @Override
        public void cancel() {
            cancelled = true;
            drain();
        }

        /** Of several failures the first one counts. */
        private void fail(Throwable cause) {
            error.compareAndSet(null, cause);
            drain();
        }

        private void drain() {
            if (drains.getAndIncrement() != 0) {
                return;
            }
            int seen = 1;
            while (seen != 0) {
                if (!ended) {
                    round();
                }
                seen = drains.addAndGet(-seen);
            }
        }

        private void round() {
            emit();
            Throwable failure = error.get();
            if (cancelled || ended) {
                end();
            } else if (failure != null) {
                end();
                actual.onError(failure);
            } else if (chunks.isEmpty() && next >= get.end) {
                end();
                actual.onComplete();
            } else {
                post();
            }
        }

        private void emit() {
            for (Chunk first = chunks.peek(); first != null && first.done && !cancelled && error.get() == null
                    && emitted < requested.get(); first = chunks.peek()) {
                chunks.remove();
                emitted++;
                UcxBuffer lease = first.take();
                if (lease != null && !emit(lease)) {
                    return;
                }
            }
        }

        /** Returns whether the subscriber has not thrown. */
        private boolean emit(UcxBuffer lease) {
            try {
                actual.onNext(lease);
                return true;
            } catch (Throwable t) {
                ApplicationErrors.rethrowIfOutOfMemory(t);
                ended = true;
                ThrownSignal.atNext(actual, this, lease, t, !cancelled);
                UcxBuffer.discard(lease);
                return false;
            }
        }

        private void post() {
            while (chunks.size() < get.prefetch && next < get.end && !cancelled && error.get() == null) {
                Chunk chunk = new Chunk(this);
                chunks.add(chunk);
                int length = (int) Math.min(get.chunkBytes, get.end - next);
                long at = next;
                next += length;
                Subscription operation = get.read.operation(at, length, chunk);
                chunk.operation = operation;
                operation.request(1);
            }
        }

        private void end() {
            ended = true;
            chunks.forEach(Chunk::giveUp);
            chunks.clear();
        }
    }

    /** One read: its operation signals once, and the window takes the lease or gives it up. */
    private static final class Chunk extends AtomicReference<@Nullable Object> implements CoreSubscriber<UcxBuffer>,
            Scannable {

        private static final long serialVersionUID = 1;
        private static final Object GIVEN_UP = new Object();

        private final transient Window window;
        private transient @Nullable Subscription operation;
        private volatile boolean done;

        Chunk(Window window) {
            this.window = window;
        }

        @Override
        @SuppressWarnings("rawtypes") // as Reactor declares it
        public @Nullable Object scanUnsafe(Attr key) {
            return key == Attr.ACTUAL ? window.actual : null;
        }

        @Override
        public Context currentContext() {
            return window.actual.currentContext();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            // The window has the operation.
        }

        @Override
        public void onNext(UcxBuffer lease) {
            if (!compareAndSet(null, lease)) {
                lease.release();
            }
        }

        @Override
        public void onError(Throwable failure) {
            window.fail(failure);
        }

        @Override
        public void onComplete() {
            done = true;
            window.drain();
        }

        @Nullable UcxBuffer take() {
            return (UcxBuffer) getAndSet(GIVEN_UP);
        }

        void giveUp() {
            UcxBuffer lease = take();
            if (lease != null) {
                lease.release();
            } else if (operation != null) {
                operation.cancel();
            }
        }
    }
}
