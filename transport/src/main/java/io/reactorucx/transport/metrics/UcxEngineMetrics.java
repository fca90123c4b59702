package io.reactorucx.transport.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.engine.EngineCounters;
import io.reactorucx.engine.OperationKind;
import io.reactorucx.engine.ProgressEngine;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Binds the meters of one engine to a registry: those of {@link UcxMeters} that count its operations, commands and
 * rounds.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> the meters hold the engine weakly; {@code UcxMetrics} and
 * {@code UcxNettyMetrics} remove those of their engines when these have closed. <b>Errors:</b> what the
 * registry throws; no meter is left then.
 */
// Micrometer is optional, so this module does not hand it on: a module without meters compiles without it.
@SuppressWarnings("exports")
public final class UcxEngineMetrics implements MeterBinder {

    private final ProgressEngine engine;
    private final Tags tags;
    private final Map<MeterRegistry, List<Runnable>> removals = new HashMap<>();

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
    public synchronized void bindTo(MeterRegistry registry) {
        if (removals.containsKey(Objects.requireNonNull(registry, "registry"))) {
            return;
        }
        List<Runnable> all = new ArrayList<>();
        try {
            bind(registry, all::add);
        } catch (Throwable t) {
            all.forEach(Runnable::run);
            throw t;
        }
        removals.put(registry, all);
    }

    /**
     * Binds the meters, and tells before what removes them and no others.
     *
     * @param registry where they are registered
     * @param removal gets an action for each source of meters
     */
    public void bind(MeterRegistry registry, Consumer<Runnable> removal) {
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
     * Removes the meters that were bound by this from a registry, if there are any: the engine has closed.
     *
     * @param registry the one that they were bound to
     */
    public synchronized void removeFrom(MeterRegistry registry) {
        List<Runnable> all = removals.remove(Objects.requireNonNull(registry, "registry"));
        if (all != null) {
            all.forEach(Runnable::run);
        }
    }
}
