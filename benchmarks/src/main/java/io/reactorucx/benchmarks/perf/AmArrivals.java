package io.reactorucx.benchmarks.perf;

import io.reactorucx.message.ActiveMessage;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/** Takes active messages in, fetches those whose data is still with the sender, and tells of each that is here. */
final class AmArrivals extends Signals<ActiveMessage> {

    static final int PING = 1;
    static final int PONG = 2;

    private final Payloads destinations;
    private final Runnable whenArrived;
    private final Signals<MemorySegment> fetched;
    private int next;

    AmArrivals(Payloads destinations, Runnable whenArrived, Consumer<Throwable> whenFailed) {
        super(whenFailed);
        this.destinations = destinations;
        this.whenArrived = whenArrived;
        this.fetched = new Signals<>(whenFailed) {
            @Override
            public void onComplete() {
                whenArrived.run();
            }
        };
    }

    @Override
    public void onNext(ActiveMessage message) {
        if (message.hasData()) {
            whenArrived.run();
        } else {
            message.fetch(destinations.segment(next++ & Integer.MAX_VALUE)).subscribe(fetched);
        }
    }
}
