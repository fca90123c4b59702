package io.reactorucx.transport.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.reactorucx.transport.command.ApplicationException;
import io.reactorucx.transport.command.JvmErrors;
import io.reactorucx.transport.command.LimitedLog;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.slf4j.LoggerFactory;

/**
 * Registers meters of one source, and removes them again.
 *
 * <p><b>Threading:</b> one thread at a time. <b>Ownership:</b> the meters hold the source weakly. <b>Errors:</b> what
 * the registry throws; a removal throws nothing.
 *
 * @param <T> the source
 */
// Micrometer is optional, so this module does not hand it on: a module without meters compiles without it.
@SuppressWarnings("exports")
public final class BoundMeters<T> {

    private static final LimitedLog FAULTS = new LimitedLog(LoggerFactory.getLogger(BoundMeters.class));

    private final MeterRegistry registry;
    private final T source;
    private final List<Meter> meters = new ArrayList<>();

    /**
     * Meters of a source, none at first.
     *
     * @param registry where they are registered
     * @param source what they read
     */
    public BoundMeters(MeterRegistry registry, T source) {
        this.registry = Objects.requireNonNull(registry, "registry");
        this.source = Objects.requireNonNull(source, "source");
    }

    /**
     * Registers a gauge.
     *
     * @param meter name, unit and description
     * @param tags its tags
     * @param value reads the source
     * @return the registered meter
     */
    public Meter gauge(UcxMeter meter, Tags tags, ToDoubleFunction<T> value) {
        return added(Gauge.builder(meter.getName(), source, value).tags(tags).baseUnit(meter.getBaseUnit())
                .description(help(meter)).register(registry));
    }

    /**
     * Registers a gauge of a time.
     *
     * @param meter name and description
     * @param tags its tags
     * @param nanos reads the source, in nanoseconds
     * @return the registered meter
     */
    public Meter timeGauge(UcxMeter meter, Tags tags, ToDoubleFunction<T> nanos) {
        return added(TimeGauge.builder(meter.getName(), source, TimeUnit.NANOSECONDS, nanos).tags(tags)
                .description(help(meter)).register(registry));
    }

    /**
     * Registers a counter.
     *
     * @param meter name, unit and description
     * @param tags its tags
     * @param value reads the source; does not fall
     * @return the registered meter
     */
    public Meter counter(UcxMeter meter, Tags tags, ToDoubleFunction<T> value) {
        return added(FunctionCounter.builder(meter.getName(), source, value).tags(tags)
                .baseUnit(meter.getBaseUnit()).description(help(meter)).register(registry));
    }

    /**
     * Registers a timer.
     *
     * @param meter name and description
     * @param tags its tags
     * @param count reads how often
     * @param nanos reads the sum, in nanoseconds
     * @return the registered meter
     */
    public Meter timer(UcxMeter meter, Tags tags, ToLongFunction<T> count, ToDoubleFunction<T> nanos) {
        return added(FunctionTimer.builder(meter.getName(), source, count, nanos, TimeUnit.NANOSECONDS).tags(tags)
                .description(help(meter)).register(registry));
    }

    private Meter added(Meter meter) {
        meters.add(meter);
        return meter;
    }

    /** Returns the description as text: what shows meters knows no marks for code. */
    private static String help(UcxMeter meter) {
        return meter.description().replace("`", "");
    }

    /** {@return what removes the meters, those that are yet to come too; it does not hold the source} */
    public Runnable removal() {
        MeterRegistry from = registry;
        List<Meter> all = meters;
        return () -> removeAll(from, all);
    }

    /**
     * Removes meters, whatever the registry's listeners throw.
     *
     * @param registry the one that they are registered with
     * @param meters those to remove
     */
    public static void removeAll(MeterRegistry registry, Collection<? extends Meter> meters) {
        Objects.requireNonNull(registry, "registry");
        Objects.requireNonNull(meters, "meters");
        for (Meter each : List.copyOf(meters)) {
            try {
                registry.remove(each);
            } catch (Throwable t) {
                JvmErrors.rethrowIfOutOfMemory(t);
                FAULTS.warn("the registry threw when the meter " + each.getId().getName() + " was removed",
                        ApplicationException.printable(t));
            }
        }
    }
}
