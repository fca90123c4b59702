package io.reactorucx.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.search.Search;
import io.reactorucx.engine.EngineCounters;
import io.reactorucx.engine.OperationKind;
import io.reactorucx.engine.ProgressEngine;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/**
 * Binds the meters of one engine to a registry: those of {@link UcxMeters} that count its operations, commands and
 * rounds.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> the meters hold the engine weakly. <b>Errors:</b> none.
 */
// Micrometer is optional, so io.reactorucx does not hand it on: a module without meters compiles without it.
@SuppressWarnings("exports")
public final class UcxEngineMetrics implements MeterBinder {

    private static final Set<UcxMeters> METERS = EnumSet.of(UcxMeters.IN_FLIGHT, UcxMeters.IN_FLIGHT_LIMIT,
            UcxMeters.QUEUED_COMMANDS, UcxMeters.HELD_MESSAGES, UcxMeters.COMMANDS, UcxMeters.REJECTED_COMMANDS,
            UcxMeters.STEPS, UcxMeters.EMPTY_STEPS, UcxMeters.SLEEPS, UcxMeters.SIGNALS, UcxMeters.OPERATIONS,
            UcxMeters.OPERATION_BYTES);

    private final ProgressEngine engine;
    private final Tags tags;

    /**
     * Meters of an engine.
     *
     * @param engine what to show
     * @param common what tells its meters from those of other engines of that name
     */
    public UcxEngineMetrics(ProgressEngine engine, Iterable<Tag> common) {
        this.engine = Objects.requireNonNull(engine, "engine");
        this.tags = Tags.of(Objects.requireNonNull(common, "common"))
                .and(UcxMeters.Tag.ENGINE.asString(), engine.name());
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Objects.requireNonNull(registry, "registry");
        EngineCounters counters = engine.counters();
        gauge(registry, UcxMeters.IN_FLIGHT, counters, EngineCounters::inFlight);
        gauge(registry, UcxMeters.IN_FLIGHT_LIMIT, engine, shown -> shown.config().maxInFlight());
        gauge(registry, UcxMeters.QUEUED_COMMANDS, engine, ProgressEngine::queuedCommands);
        gauge(registry, UcxMeters.HELD_MESSAGES, counters, EngineCounters::heldMessages);
        counter(registry, UcxMeters.COMMANDS, counters, tags, EngineCounters::commands);
        counter(registry, UcxMeters.REJECTED_COMMANDS, counters, tags, EngineCounters::rejectedCommands);
        counter(registry, UcxMeters.STEPS, counters, tags, EngineCounters::steps);
        counter(registry, UcxMeters.EMPTY_STEPS, counters, tags, EngineCounters::emptySteps);
        counter(registry, UcxMeters.SLEEPS, counters, tags, EngineCounters::sleeps);
        counter(registry, UcxMeters.SIGNALS, counters, tags, EngineCounters::signals);
        for (OperationKind kind : OperationKind.values()) {
            Tags ofKind = tags.and(UcxMeters.Tag.KIND.asString(), kind.ucxName());
            String outcome = UcxMeters.Tag.OUTCOME.asString();
            counter(registry, UcxMeters.OPERATIONS, counters, ofKind.and(outcome, "success"),
                    shown -> shown.succeeded(kind));
            counter(registry, UcxMeters.OPERATIONS, counters, ofKind.and(outcome, "error"),
                    shown -> shown.failed(kind));
            counter(registry, UcxMeters.OPERATION_BYTES, counters, ofKind, shown -> shown.bytes(kind));
        }
    }

    /**
     * Removes the meters of the engine from a registry: the engine has closed.
     *
     * @param registry the one that they were bound to
     */
    public void removeFrom(MeterRegistry registry) {
        Objects.requireNonNull(registry, "registry");
        for (UcxMeters meter : METERS) {
            List.copyOf(Search.in(registry).name(meter.getName()).tags(tags).meters()).forEach(registry::remove);
        }
    }

    private <T> void gauge(MeterRegistry registry, UcxMeters meter, T source, ToDoubleFunction<T> value) {
        Gauge.builder(meter.getName(), source, value).tags(tags).register(registry);
    }

    private static <T> void counter(MeterRegistry registry, UcxMeters meter, T source, Tags tags,
            ToDoubleFunction<T> value) {
        FunctionCounter.builder(meter.getName(), source, value).tags(tags).register(registry);
    }
}
