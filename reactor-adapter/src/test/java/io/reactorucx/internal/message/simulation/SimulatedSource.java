package io.reactorucx.internal.message.simulation;

import java.util.function.IntFunction;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;

/** A source that produces what was requested at once or later, on any thread, and then completes, fails, or stays. */
final class SimulatedSource<T> extends Flux<T> implements Subscription {

    enum End { COMPLETE, FAIL, STAY }

    private final SimulatedSide side;
    private final int count;
    private final End end;
    private final boolean prompt;
    private final IntFunction<T> messages;
    private CoreSubscriber<? super T> subscriber;
    private long requested;
    private int produced;
    private boolean producing;
    private boolean due;
    private boolean over;

    SimulatedSource(SimulatedSide side, int count, End end, IntFunction<T> messages) {
        this.side = side;
        this.count = count;
        this.end = end;
        this.prompt = side.simulation().chance(0.4);
        this.messages = messages;
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        subscriber = actual;
        actual.onSubscribe(this);
        if (count == 0) {
            continued();
        }
    }

    @Override
    public void request(long n) {
        side.simulation().check(n > 0, "a source is asked for " + n + " messages");
        requested = Math.min(Long.MAX_VALUE - n, requested) + n;
        continued();
    }

    private void continued() {
        if (prompt) {
            produce(Integer.MAX_VALUE);
        } else if (!due) {
            due = true;
            side.simulation().soon(() -> side.engine().runAnywhere(() -> {
                due = false;
                produce(1 + side.simulation().below(5));
                if (!over && produced < count && requested > produced) {
                    continued();
                }
            }));
        }
    }

    private void produce(int atMost) {
        if (producing) {
            return;
        }
        producing = true;
        for (int left = atMost; left > 0 && !over && produced < Math.min(count, requested); left--) {
            subscriber.onNext(messages.apply(produced++));
        }
        producing = false;
        if (!over && produced == count && end != End.STAY) {
            over = true;
            if (end == End.COMPLETE) {
                subscriber.onComplete();
            } else {
                subscriber.onError(new SourceFailure());
            }
        }
    }

    int produced() {
        return produced;
    }

    End end() {
        return end;
    }

    @Override
    public void cancel() {
        over = true;
    }

    /** The failure of a source. */
    static final class SourceFailure extends RuntimeException {

        private static final long serialVersionUID = 1;

        SourceFailure() {
            super("simulated", null, false, false);
        }
    }
}
