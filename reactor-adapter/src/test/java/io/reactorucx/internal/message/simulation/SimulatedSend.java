package io.reactorucx.internal.message.simulation;

import io.reactorucx.core.error.UcxException;
import java.util.function.Function;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/** One send on the default stream: it ends once, and each of its messages arrives once unless something explains it. */
final class SimulatedSend implements CoreSubscriber<Void> {

    private final SimulatedSide side;
    private final int id;
    private final SimulatedSource<Object> source;
    private Subscription subscription;
    private boolean subscribed;
    private boolean cancelled;
    private boolean completed;
    private Throwable error;
    private int signals;
    private int delivered;
    /** The peer's subscriber has left meanwhile. */
    private boolean interrupted;

    SimulatedSend(SimulatedSide side, int id) {
        this.side = side;
        this.id = id;
        Simulation simulation = side.simulation();
        int count = simulation.one(0, 1, 1, 2, 5, 20, 60);
        SimulatedSource.End end = simulation.below(10) < 8 ? SimulatedSource.End.COMPLETE
                : simulation.one(SimulatedSource.End.FAIL, SimulatedSource.End.STAY);
        this.source = new SimulatedSource<>(side, count, end, this::message);
    }

    private Object message(int number) {
        byte[] bytes = Content.of(id, number, side.size());
        return side.simulation().chance(0.3) ? Content.leased(side, bytes, this) : bytes;
    }

    void start() {
        subscribed = true;
        side.protocol().streams().defaultStream().send(source, Function.identity()).subscribe(this);
        if (side.simulation().chance(0.1)) {
            side.simulation().soon(() -> side.engine().runAnywhere(this::cancel));
        }
    }

    private void cancel() {
        if (signals == 0 && !cancelled) {
            side.simulation().note(this + " is cancelled");
            cancelled = true;
            subscription.cancel();
        }
    }

    @Override
    public void onSubscribe(Subscription upstream) {
        subscription = upstream;
        upstream.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(Void nothing) {
        side.simulation().fail(this + " emits");
    }

    @Override
    public void onError(Throwable failure) {
        error = failure;
        ended("fails: " + failure.getMessage());
    }

    @Override
    public void onComplete() {
        completed = true;
        ended("completes");
    }

    private void ended(String how) {
        side.simulation().note(this + " " + how);
        side.simulation().check(++signals == 1, this + " ends twice");
        side.simulation().check(side.engine().isEngineThread() || signals == 1, this + " ends on another thread");
    }

    /** A message of this has been delivered. */
    void delivered(int number) {
        side.simulation().check(number == delivered, "message " + number + " of " + this + " is delivered as the "
                + delivered + "th");
        delivered = number + 1;
    }

    /** The peer's subscriber has left: what has not come will not come any more. */
    void interrupt() {
        interrupted |= subscribed && !(completed && isDelivered());
    }

    private boolean isDelivered() {
        return delivered == source.produced();
    }

    /** Both sides are open and everything has demand: this has ended, unless its source has not. */
    void checkAtRest() {
        if (!subscribed || cancelled) {
            return;
        }
        boolean stays = source.end() == SimulatedSource.End.STAY;
        side.simulation().check(signals == 1 || stays, this + " stands still: " + delivered + " of "
                + source.produced() + " messages were delivered");
        side.simulation().check(isDelivered() || interrupted, "of " + source.produced() + " messages of " + this
                + " only " + delivered + " were delivered");
        side.simulation().check(error == null || interrupted || error instanceof SimulatedSource.SourceFailure,
                this + " has failed for no reason: " + error);
    }

    /** The connection has ended. */
    void checkAtEnd(boolean receiverCompleted) {
        if (!subscribed || cancelled) {
            return;
        }
        side.simulation().check(signals == 1, this + " has not ended with its connection");
        side.simulation().check(!receiverCompleted || !(error instanceof UcxException) || delivered == 0
                || interrupted, "the peer's receiver has completed, and got " + delivered + " of " + source.produced()
                + " messages of " + this + ", which failed");
        side.simulation().check(!receiverCompleted || !completed || isDelivered() || interrupted, "the peer's receiver"
                + " has completed, and got " + delivered + " of " + source.produced() + " messages of " + this);
    }

    @Override
    public String toString() {
        return "send " + id + " of " + side;
    }
}
