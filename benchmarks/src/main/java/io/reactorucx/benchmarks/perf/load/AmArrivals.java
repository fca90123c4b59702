package io.reactorucx.benchmarks.perf.load;

import io.reactorucx.message.ActiveMessage;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/** Receives active messages, fetches rendezvous data, and runs a callback for each message. */
public final class AmArrivals extends Signals<ActiveMessage> {

    public static final int PING = 1;
    public static final int PONG = 2;

    private final Payloads destinations;
    private final Runnable whenArrived;
    private final Signals<MemorySegment> fetched;
    private int next;

    public AmArrivals(Payloads destinations, Runnable whenArrived, Consumer<Throwable> whenFailed) {
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
