package io.reactorucx.internal.message;

import io.reactorucx.internal.counter.ProtocolCounters;
import io.reactorucx.internal.lease.LeasePool;
import io.reactorucx.internal.message.batch.MessageBatch;
import io.reactorucx.internal.message.context.MessageCounters;
import io.reactorucx.internal.message.send.SharedSendWindow;
import io.reactorucx.message.MessageStatistics;
import io.reactorucx.transport.config.FlowControlConfig;
import io.reactorucx.transport.connection.ConnectionCore;

/** The messages of one engine's connections over a carrier that is not UCX. */
public final class CarriedMessages {

    private final EngineMessages shared;

    /** Creates messages of which so many large ones may be in flight. */
    public CarriedMessages(LeasePool pool, int maxOffers) {
        shared = new EngineMessages(pool, new ProtocolCounters(), new MessageCounters(), new MessageBatch.Pool(),
                new SharedSendWindow.Registry(), new SharedSendWindow(maxOffers), new DemandWatch(null));
    }

    /** Returns the protocol of one connection. */
    public MessageProtocol over(ConnectionCore carrier, FlowControlConfig limits) {
        return new MessageProtocol(carrier, limits, shared, message -> {
            throw new IllegalStateException("a message of UCX");
        });
    }

    public MessageStatistics statistics() {
        return shared.counters().snapshot(shared.offerCounters(), 0);
    }

    /** Returns how many windows of workers connections have joined and not left. */
    public int windows() {
        return shared.windows().size();
    }
}
