package io.reactorucx;

import io.reactorucx.internal.concurrent.UncancelledMono;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.reactivestreams.Subscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;

/** A subscriber that cancels while its value comes: it takes the value, or the value is given back. */
@JCStressTest
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "taken")
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "given back")
@Outcome(expect = Expect.FORBIDDEN, desc = "anything else")
@State
public class DropAgainstCancelStress {

    private final AtomicInteger taken = new AtomicInteger();
    private final AtomicInteger givenBack = new AtomicInteger();
    private Subscriber<? super Integer> source;
    private final Disposable subscription = new UncancelledMono<>(Mono.<Integer>fromDirect(subscriber -> {
        source = subscriber;
        subscriber.onSubscribe(Operators.emptySubscription());
    }), value -> givenBack.incrementAndGet()).subscribe(value -> taken.incrementAndGet());

    @Actor
    public void emit() {
        source.onNext(1);
    }

    @Actor
    public void cancel() {
        subscription.dispose();
    }

    @Arbiter
    public void end(II_Result result) {
        result.r1 = taken.get();
        result.r2 = givenBack.get();
    }
}
