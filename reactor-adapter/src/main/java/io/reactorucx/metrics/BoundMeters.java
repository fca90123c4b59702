package io.reactorucx.metrics;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/** Registers meters of one source, which it holds weakly, and removes them again. Thread: that of the binding. */
final class BoundMeters<T> {

    private final MeterRegistry registry;
    private final T source;
    private final List<Meter> meters = new ArrayList<>();

    BoundMeters(MeterRegistry registry, T source) {
        this.registry = registry;
        this.source = source;
    }

    void gauge(UcxMeters meter, Tags tags, ToDoubleFunction<T> value) {
        meters.add(meter.gauge(registry, source, tags, value));
    }

    void counter(UcxMeters meter, Tags tags, ToDoubleFunction<T> value) {
        meters.add(meter.counter(registry, source, tags, value));
    }

    void timer(UcxMeters meter, Tags tags, ToLongFunction<T> count, ToDoubleFunction<T> nanos) {
        meters.add(meter.timer(registry, source, tags, count, nanos));
    }

    /** Returns what removes the meters, those that are yet to come too; it does not hold the source. */
    Runnable removal() {
        MeterRegistry from = registry;
        List<Meter> all = meters;
        return () -> List.copyOf(all).forEach(from::remove);
    }
}
