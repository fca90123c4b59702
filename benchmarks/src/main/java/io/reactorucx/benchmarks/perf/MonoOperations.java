package io.reactorucx.benchmarks.perf;

import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import reactor.core.publisher.Mono;

/** Operations that are one Mono each, or several that are begun together: over when all of them are. */
final class MonoOperations extends LaneOperations {

    private final List<IntFunction<Mono<?>>> monos;
    private final List<Signals<Object>> signals;

    /** @param monos give what a lane subscribes to, the same each time where that is allowed */
    MonoOperations(int lanes, List<IntFunction<Mono<?>>> monos) {
        super(lanes);
        this.monos = monos;
        this.signals = IntStream.range(0, lanes).mapToObj(this::signalsOf).toList();
    }

    /** What lanes subscribe to again and again. */
    static <T> IntFunction<Mono<?>> assembledOnce(int lanes, IntFunction<Mono<T>> mono) {
        List<Mono<T>> assembled = IntStream.range(0, lanes).mapToObj(mono).toList();
        return assembled::get;
    }

    @Override
    void begin(int lane) {
        int count = monos.size();
        await(lane, count);
        for (int i = 0; i < count; i++) {
            monos.get(i).apply(lane).subscribe(signals.get(lane));
        }
    }
}
