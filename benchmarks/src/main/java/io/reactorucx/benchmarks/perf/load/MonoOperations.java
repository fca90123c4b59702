package io.reactorucx.benchmarks.perf.load;

import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import reactor.core.publisher.Mono;

/** Operations of one or several Monos, which are subscribed to together; an operation ends when all have ended. */
public final class MonoOperations extends LaneOperations {

    private final List<IntFunction<Mono<?>>> monos;
    private final List<Signals<Object>> signals;

    /** @param monos give the Monos of a lane, the same for each operation where that is allowed */
    public MonoOperations(int lanes, List<IntFunction<Mono<?>>> monos) {
        super(lanes);
        this.monos = monos;
        this.signals = IntStream.range(0, lanes).mapToObj(this::signalsOf).toList();
    }

    /** Monos that are assembled once for each lane and subscribed to repeatedly. */
    public static <T> IntFunction<Mono<?>> assembledOnce(int lanes, IntFunction<Mono<T>> mono) {
        List<Mono<T>> assembled = IntStream.range(0, lanes).mapToObj(mono).toList();
        return assembled::get;
    }

    @Override
    public void begin(int lane) {
        int count = monos.size();
        await(lane, count);
        for (int i = 0; i < count; i++) {
            monos.get(i).apply(lane).subscribe(signals.get(lane));
        }
    }
}
