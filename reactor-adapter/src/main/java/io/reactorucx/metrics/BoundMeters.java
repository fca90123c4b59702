package io.reactorucx.metrics;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.reactorucx.internal.command.LimitedLog;
import io.reactorucx.internal.concurrent.ApplicationErrors;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.slf4j.LoggerFactory;

/** Registers meters of one source, which it holds weakly, and removes them again. Thread: that of the binding. */
final class BoundMeters<T> {

    private static final LimitedLog FAULTS = new LimitedLog(LoggerFactory.getLogger(BoundMeters.class));

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
        return () -> removeAll(from, all);
    }

    /** Removes meters, whatever the registry's listeners throw. */
    static void removeAll(MeterRegistry registry, Collection<? extends Meter> meters) {
        for (Meter each : List.copyOf(meters)) {
            try {
                registry.remove(each);
            } catch (Throwable t) {
                ApplicationErrors.rethrowIfOutOfMemory(t);
                FAULTS.warn("the registry threw when the meter " + each.getId().getName() + " was removed",
                        ApplicationErrors.printable(t));
            }
        }
    }
}
