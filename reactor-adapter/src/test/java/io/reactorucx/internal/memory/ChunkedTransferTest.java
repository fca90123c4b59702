package io.reactorucx.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.UcxResources;
import io.reactorucx.buffer.UcxBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.core.publisher.Sinks;

/** Tests reads and writes in chunks with operations that end when the test says so. */
class ChunkedTransferTest {

    /** An operation. */
    private static final class Posted<T> implements Subscription {

        private final long offset;
        private final CoreSubscriber<? super T> subscriber;
        private boolean begun;
        private boolean cancelled;

        Posted(long offset, CoreSubscriber<? super T> subscriber) {
            this.offset = offset;
            this.subscriber = subscriber;
        }

        @Override
        public void request(long n) {
            begun = true;
        }

        @Override
        public void cancel() {
            cancelled = true;
        }
    }

    /** Records every signal, also those that must not come, and does something with the first value. */
    private static final class Result<T> implements CoreSubscriber<T> {

        private final List<T> values = new ArrayList<>();
        private final List<Throwable> errors = new ArrayList<>();
        private final AtomicInteger completions = new AtomicInteger();
        private final long demand;
        private Subscription upstream = Operators.emptySubscription();
        private Consumer<T> atFirst = value -> { };

        Result(long demand) {
            this.demand = demand;
        }

        void request(long n) {
            upstream.request(n);
        }

        void cancel() {
            upstream.cancel();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            upstream = subscription;
            if (demand > 0) {
                request(demand);
            }
        }

        @Override
        public void onNext(T value) {
            values.add(value);
            if (values.size() == 1) {
                atFirst.accept(value);
            }
        }

        @Override
        public void onError(Throwable error) {
            errors.add(error);
        }

        @Override
        public void onComplete() {
            completions.incrementAndGet();
        }
    }

    private final List<Posted<UcxBuffer>> reads = new ArrayList<>();
    private final List<Posted<Void>> writes = new ArrayList<>();
    private UcxResources resources;

    @BeforeEach
    void open() {
        resources = UcxResources.builder().build();
    }

    @AfterEach
    void close() {
        resources.disposeNow();
    }

    private UcxBuffer lease() {
        return resources.buffers().acquire(1);
    }


    private ChunkedGet get(int chunks, int prefetch) {
        return new ChunkedGet((offset, length, subscriber) -> {
            Posted<UcxBuffer> read = new Posted<>(offset, subscriber);
            reads.add(read);
            return read;
        }, 100, chunks, 1, prefetch);
    }

    private ChunkedPut put(Flux<UcxBuffer> source, int prefetch) {
        return new ChunkedPut(source, prefetch, (lease, subscriber) -> {
            Posted<Void> write = new Posted<>(writes.size(), subscriber);
            writes.add(write);
            return write;
        });
    }

    private UcxBuffer arrive(int read) {
        UcxBuffer lease = lease();
        reads.get(read).subscriber.onNext(lease);
        reads.get(read).subscriber.onComplete();
        return lease;
    }

    private static RuntimeException failure(int number) {
        return new IllegalStateException("part " + number);
    }

    @Test
    void readsThatFailTogetherGiveOneError() {
        Result<UcxBuffer> result = new Result<>(10);
        result.atFirst = lease -> {
            // As when the subscriber closes the connection.
            reads.get(1).subscriber.onError(failure(1));
            reads.get(2).subscriber.onError(failure(2));
        };
        get(5, 3).subscribe(result);
        arrive(0);

        assertThat(result.errors).hasSize(1).first().satisfies(error -> {
            assertThat(error).hasMessage("part 1").hasNoCause();
            assertThat(error.getSuppressed()).isEmpty();
        });
        assertThat(result.completions).hasValue(0);
        assertThat(reads).as("nothing is posted after a failure").hasSize(3);
    }

    @Test
    void writesThatFailTogetherGiveOneError() {
        List<UcxBuffer> leases = List.of(lease(), lease(), lease());
        Result<Void> result = new Result<>(1);
        put(Flux.fromIterable(leases).concatWith(Flux.never()), 3).subscribe(result);
        // A chunk that fails gives the others up, which fail all the same.
        List.copyOf(writes).forEach(write -> write.subscriber.onError(failure((int) write.offset)));

        assertThat(result.errors).hasSize(1).first().satisfies(error -> {
            assertThat(error).hasMessage("part 0");
            assertThat(error.getSuppressed()).isEmpty();
        });
        assertThat(leases).allMatch(UcxBuffer::isDisposed);
    }

    @Test
    void readsAreEmittedInOrderAsFarAsTheyAreRequested() {
        Result<UcxBuffer> result = new Result<>(0);
        get(4, 3).subscribe(result);
        assertThat(reads).extracting(read -> read.offset).containsExactly(100L, 101L, 102L);
        assertThat(reads).allMatch(read -> read.begun);
        UcxBuffer third = arrive(2);
        UcxBuffer first = arrive(0);
        assertThat(result.values).isEmpty();
        result.request(1);
        assertThat(result.values).containsExactly(first);
        assertThat(reads).as("a place for one more").hasSize(4);
        result.request(5);
        UcxBuffer second = arrive(1);
        UcxBuffer last = arrive(3);

        assertThat(result.values).containsExactly(first, second, third, last);
        assertThat(result.completions).hasValue(1);
        assertThat(result.errors).isEmpty();
    }

    @Test
    void aCancelReleasesWhatWaitsAndWhatStillArrives() {
        Result<UcxBuffer> result = new Result<>(0);
        get(5, 3).subscribe(result);
        UcxBuffer waiting = arrive(1);
        result.cancel();
        UcxBuffer late = arrive(0);

        assertThat(waiting.isDisposed()).isTrue();
        assertThat(late.isDisposed()).isTrue();
        assertThat(reads.get(0).cancelled).isTrue();
        assertThat(reads.get(2).cancelled).isTrue();
        assertThat(reads).hasSize(3);
        assertThat(result.values).isEmpty();
    }

    @Test
    void aSubscriberThatThrowsGetsItsErrorAndTheRestIsReleased() {
        Result<UcxBuffer> result = new Result<>(10);
        result.atFirst = lease -> {
            throw failure(7);
        };
        get(3, 3).subscribe(result);
        UcxBuffer waiting = arrive(1);
        UcxBuffer first = arrive(0);
        UcxBuffer late = arrive(2);

        assertThat(result.errors).hasSize(1).first().satisfies(error -> assertThat(error).hasMessage("part 7"));
        assertThat(List.of(first, waiting, late)).allMatch(UcxBuffer::isDisposed);
        assertThat(result.completions).hasValue(0);
    }

    @Test
    void aRequestOfZeroEndsAReadWithAnError() {
        Result<UcxBuffer> result = new Result<>(0);
        get(3, 2).subscribe(result);
        result.request(0);

        assertThat(result.errors).hasSize(1).first().isInstanceOf(IllegalArgumentException.class);
        assertThat(reads).allMatch(read -> read.cancelled);
    }

    @Test
    void theSourceIsAskedForOneMoreWithEachWrite() {
        Sinks.Many<UcxBuffer> source = Sinks.many().unicast().onBackpressureBuffer();
        List<Long> requests = new ArrayList<>();
        Result<Void> result = new Result<>(1);
        put(source.asFlux().hide().doOnRequest(requests::add), 2).subscribe(result);
        UcxBuffer first = lease();
        source.tryEmitNext(first);
        source.tryEmitNext(lease());
        source.tryEmitNext(lease());
        assertThat(writes).hasSize(2);
        writes.get(0).subscriber.onComplete();
        assertThat(first.isDisposed()).isTrue();
        assertThat(writes).hasSize(3);
        source.tryEmitComplete();
        writes.get(1).subscriber.onComplete();
        assertThat(result.completions).hasValue(0);
        writes.get(2).subscriber.onComplete();

        assertThat(result.completions).hasValue(1);
        assertThat(requests).startsWith(2L, 1L);
    }

    @Test
    void aCancelOfAWriteReleasesItsLeasesAndCancelsTheSource() {
        AtomicInteger cancelled = new AtomicInteger();
        List<UcxBuffer> leases = List.of(lease(), lease());
        Result<Void> result = new Result<>(1);
        put(Flux.fromIterable(leases).concatWith(Flux.<UcxBuffer>never().doOnCancel(cancelled::incrementAndGet)), 4)
                .subscribe(result);
        result.cancel();

        assertThat(leases).allMatch(UcxBuffer::isDisposed);
        assertThat(writes).hasSize(2).allMatch(write -> write.cancelled);
        assertThat(cancelled).hasValue(1);
        assertThat(result.errors).isEmpty();
    }
}
