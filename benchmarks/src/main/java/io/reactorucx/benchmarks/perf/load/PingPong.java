package io.reactorucx.benchmarks.perf.load;

import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.agrona.collections.IntArrayQueue;
import reactor.core.publisher.Mono;

/** Operations that end when the peer has sent the same amount back; a reply ends the oldest operation. */
public final class PingPong extends LaneOperations {

    private final IntFunction<Mono<?>> pings;
    private final List<Signals<Object>> sent;
    private final IntArrayQueue order = new IntArrayQueue();

    public PingPong(int lanes, IntFunction<Mono<?>> pings) {
        super(lanes);
        this.pings = pings;
        this.sent = IntStream.range(0, lanes).mapToObj(this::signalsOf).toList();
    }

    @Override
    public void begin(int lane) {
        await(lane, 2);
        order.addInt(lane);
        pings.apply(lane).subscribe(sent.get(lane));
    }

    public void arrived() {
        int lane = order.pollInt();
        if (lane == IntArrayQueue.DEFAULT_NULL_VALUE) {
            failed(new IllegalStateException("the server sent more back than was sent to it"));
        } else {
            signalled(lane);
        }
    }
}
