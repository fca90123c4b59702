package io.reactorucx.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.search.Search;
import io.reactorucx.core.UcxStatus;
import io.reactorucx.engine.EngineCounters;
import io.reactorucx.engine.OperationKind;
import io.reactorucx.engine.ProgressEngine;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Binds the meters of one engine to a registry: those of {@link UcxMeters} that count its operations, commands and
 * rounds.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> the meters hold the engine weakly; {@link UcxMetrics} removes
 * those of its engines when they have closed. <b>Errors:</b> none.
 */
// Micrometer is optional, so io.reactorucx does not hand it on: a module without meters compiles without it.
@SuppressWarnings("exports")
public final class UcxEngineMetrics implements MeterBinder {

    private static final Set<UcxMeters> METERS = EnumSet.of(UcxMeters.IN_FLIGHT, UcxMeters.IN_FLIGHT_LIMIT,
            UcxMeters.QUEUED_COMMANDS, UcxMeters.QUEUED_COMMANDS_LIMIT, UcxMeters.HELD_OFFERS, UcxMeters.COMMANDS,
            UcxMeters.REJECTED_COMMANDS, UcxMeters.STEPS, UcxMeters.EMPTY_STEPS, UcxMeters.SLEEPS, UcxMeters.SIGNALS,
            UcxMeters.OPERATIONS, UcxMeters.OPERATION_BYTES, UcxMeters.ERRORS);

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
        bind(Objects.requireNonNull(registry, "registry"), removal -> { });
    }

    /** Binds the meters, and tells before what removes them and no others. */
    void bind(MeterRegistry registry, Consumer<Runnable> removal) {
        BoundMeters<ProgressEngine> ofEngine = new BoundMeters<>(registry, engine);
        removal.accept(ofEngine.removal());
        ofEngine.gauge(UcxMeters.IN_FLIGHT_LIMIT, tags, shown -> shown.config().maxInFlight());
        ofEngine.gauge(UcxMeters.QUEUED_COMMANDS, tags, ProgressEngine::queuedCommands);
        ofEngine.gauge(UcxMeters.QUEUED_COMMANDS_LIMIT, tags, shown -> shown.config().commandQueueCapacity());
        BoundMeters<EngineCounters> counted = new BoundMeters<>(registry, engine.counters());
        removal.accept(counted.removal());
        counted.gauge(UcxMeters.IN_FLIGHT, tags, EngineCounters::inFlight);
        counted.gauge(UcxMeters.HELD_OFFERS, tags, EngineCounters::heldMessages);
        counted.counter(UcxMeters.COMMANDS, tags, EngineCounters::commands);
        counted.counter(UcxMeters.REJECTED_COMMANDS, tags, EngineCounters::rejectedCommands);
        counted.counter(UcxMeters.STEPS, tags, EngineCounters::steps);
        counted.counter(UcxMeters.EMPTY_STEPS, tags, EngineCounters::emptySteps);
        counted.counter(UcxMeters.SLEEPS, tags, EngineCounters::sleeps);
        counted.counter(UcxMeters.SIGNALS, tags, EngineCounters::signals);
        bindOperations(counted);
    }

    private void bindOperations(BoundMeters<EngineCounters> counted) {
        for (OperationKind kind : OperationKind.values()) {
            Tags ofKind = tags.and(UcxMeters.Tag.KIND.asString(), kind.ucxName());
            String outcome = UcxMeters.Tag.OUTCOME.asString();
            counted.counter(UcxMeters.OPERATIONS, ofKind.and(outcome, "success"), shown -> shown.succeeded(kind));
            counted.counter(UcxMeters.OPERATIONS, ofKind.and(outcome, "error"), shown -> shown.failed(kind));
            counted.counter(UcxMeters.OPERATION_BYTES, ofKind, shown -> shown.bytes(kind));
        }
        for (UcxStatus status : UcxStatus.values()) {
            if (status != UcxStatus.OK && status != UcxStatus.IN_PROGRESS) {
                counted.counter(UcxMeters.ERRORS, tags.and(UcxMeters.Tag.STATUS.asString(),
                        status.name().toLowerCase(Locale.ROOT)), shown -> shown.errors(status));
            }
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
