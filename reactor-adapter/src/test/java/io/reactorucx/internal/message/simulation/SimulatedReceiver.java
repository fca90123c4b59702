package io.reactorucx.internal.message.simulation;

import io.reactorucx.codec.MessageDecoder;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/** One subscriber to the default stream, which requests, keeps messages and leaves as it likes. */
final class SimulatedReceiver<T> implements CoreSubscriber<T> {

    private final SimulatedSide side;
    private final MessageDecoder<T> decoder;
    private final int leavesAfter;
    private Subscription subscription;
    private long requested;
    private long got;
    private boolean slow;
    private boolean left;
    private boolean completed;
    private int signals;

    SimulatedReceiver(SimulatedSide side, MessageDecoder<T> decoder) {
        this.side = side;
        this.decoder = decoder;
        this.leavesAfter = side.simulation().chance(0.2) ? side.simulation().below(30) : Integer.MAX_VALUE;
        this.slow = side.simulation().chance(0.5);
    }

    void start() {
        side.protocol().streams().defaultStream().receive(decoder).subscribe(this);
    }

    @Override
    public void onSubscribe(Subscription upstream) {
        subscription = upstream;
        more();
    }

    private void more() {
        if (!slow && side.simulation().chance(0.2)) {
            request(Long.MAX_VALUE);
        } else {
            request(1 + side.simulation().below(side.simulation().one(1, 4, 50)));
        }
    }

    private void request(long n) {
        if (!left && signals == 0) {
            requested = Math.min(Long.MAX_VALUE - n, requested) + n;
            subscription.request(n);
        }
    }

    @Override
    public void onNext(T message) {
        Simulation simulation = side.simulation();
        simulation.track(message, this + " message " + got);
        simulation.check(side.engine().isEngineThread(), this + " gets a message on another thread");
        simulation.check(signals == 0, this + " gets a message behind its end");
        simulation.check(++got <= requested, this + " gets more than it has requested");
        if (!left) {
            byte[] bytes = Content.bytes(message);
            simulation.check(Content.isIntact(bytes), this + " gets a message that is not intact");
            if (!simulation.hasFailed()) {
                side.other().send(Content.sender(bytes)).delivered(Content.number(bytes));
            }
        }
        if (simulation.chance(0.3)) {
            simulation.soon(() -> side.engine().runAnywhere(() -> Content.release(message)));
        } else {
            Content.release(message);
        }
        if (got >= leavesAfter) {
            leave();
        } else if (got == requested) {
            if (slow || simulation.chance(0.5)) {
                simulation.soon(() -> side.engine().runAnywhere(this::more));
            } else {
                more();
            }
        }
    }

    /** Takes no more, as another thread may do at any time. */
    void leave() {
        if (!left && signals == 0) {
            side.simulation().note(this + " leaves");
            left = true;
            side.other().interruptSends();
            subscription.cancel();
        }
    }

    @Override
    public void onError(Throwable failure) {
        ended("fails: " + failure.getMessage());
        side.simulation().check(!(side.isOpen() && side.other().isOpen()), this + " has failed for no reason: "
                + failure);
    }

    @Override
    public void onComplete() {
        completed = true;
        ended("completes");
    }

    private void ended(String how) {
        side.simulation().note(this + " " + how);
        side.simulation().check(++signals == 1, this + " ends twice");
    }

    /** From now on everything is requested at once. */
    void hurry() {
        slow = false;
        request(Long.MAX_VALUE);
    }

    boolean isActive() {
        return !left && signals == 0;
    }

    boolean hasLeft() {
        return left;
    }

    boolean hasCompleted() {
        return completed;
    }

    void checkAtEnd() {
        side.simulation().check(left || signals == 1, this + " has not ended with its connection");
    }

    @Override
    public String toString() {
        return "receiver of " + side;
    }
}
