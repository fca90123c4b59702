package io.reactorucx.metrics;

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
        UcxMeters.IN_FLIGHT.gauge(registry, counters, tags, EngineCounters::inFlight);
        UcxMeters.IN_FLIGHT_LIMIT.gauge(registry, engine, tags, shown -> shown.config().maxInFlight());
        UcxMeters.QUEUED_COMMANDS.gauge(registry, engine, tags, ProgressEngine::queuedCommands);
        UcxMeters.HELD_MESSAGES.gauge(registry, counters, tags, EngineCounters::heldMessages);
        UcxMeters.COMMANDS.counter(registry, counters, tags, EngineCounters::commands);
        UcxMeters.REJECTED_COMMANDS.counter(registry, counters, tags, EngineCounters::rejectedCommands);
        UcxMeters.STEPS.counter(registry, counters, tags, EngineCounters::steps);
        UcxMeters.EMPTY_STEPS.counter(registry, counters, tags, EngineCounters::emptySteps);
        UcxMeters.SLEEPS.counter(registry, counters, tags, EngineCounters::sleeps);
        UcxMeters.SIGNALS.counter(registry, counters, tags, EngineCounters::signals);
        for (OperationKind kind : OperationKind.values()) {
            Tags ofKind = tags.and(UcxMeters.Tag.KIND.asString(), kind.ucxName());
            String outcome = UcxMeters.Tag.OUTCOME.asString();
            UcxMeters.OPERATIONS.counter(registry, counters, ofKind.and(outcome, "success"),
                    shown -> shown.succeeded(kind));
            UcxMeters.OPERATIONS.counter(registry, counters, ofKind.and(outcome, "error"),
                    shown -> shown.failed(kind));
            UcxMeters.OPERATION_BYTES.counter(registry, counters, ofKind, shown -> shown.bytes(kind));
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
}
