package io.reactorucx.netty;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.netty.counter.LoopCounters;
import io.reactorucx.netty.counter.LoopListener;
import io.reactorucx.transport.metrics.BoundMeters;
import io.reactorucx.transport.metrics.UcxEngineMetrics;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Binds the meters of loops to a registry: those of {@link UcxNettyMeters} for each loop, and those of
 * {@link UcxEngineMetrics} for its engines, from an engine's start to its end. The meters of a loop that has ended are
 * removed. Nothing is added to the path of a byte: the meters read counters that the loops keep anyway.
 *
 * <p>A module that uses this class also says {@code requires micrometer.core}.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> the meters hold loops and engines weakly; the factory holds the
 * registry until the binding is disposed of. <b>Errors:</b> what the registry throws; it keeps no meters then.
 */
// Micrometer is optional, so io.reactorucx.netty does not hand it on: a module without meters compiles without it.
@SuppressWarnings("exports")
public final class UcxNettyMetrics implements MeterBinder {

    private final UcxIoHandlerFactory factory;
    private final Tags common;

    /**
     * Meters of loops, whose names no other loop of the process has.
     *
     * @param factory of the loops
     */
    public UcxNettyMetrics(UcxIoHandlerFactory factory) {
        this(factory, Tags.empty());
    }

    /**
     * Meters of loops.
     *
     * @param factory of the loops
     * @param tags what else their meters get
     */
    public UcxNettyMetrics(UcxIoHandlerFactory factory, Iterable<Tag> tags) {
        this.factory = Objects.requireNonNull(factory, "factory");
        this.common = Tags.of(Objects.requireNonNull(tags, "tags"));
    }

    /** Binds the meters as long as there are loops, see {@link #bind}. */
    @Override
    public void bindTo(MeterRegistry registry) {
        bind(registry);
    }

    /**
     * Binds the meters. They take the place of those that were bound to the registry before, of the same factory with
     * the same tags.
     *
     * @param registry where they are registered; it is held until they are removed
     * @return an action that removes the meters, and ends the binding of loops that start later
     */
    public Runnable bind(MeterRegistry registry) {
        Listener binding = new Listener(Objects.requireNonNull(registry, "registry"), common);
        factory.registry().listen(binding);
        return () -> factory.registry().unlisten(binding);
    }

    /** Adds and removes the meters of loops and engines. Thread: any, one at a time. */
    private static final class Listener implements LoopListener {

        private final MeterRegistry registry;
        private final Tags common;
        /** A search by tags would also find the meters of another binding, which has more tags. */
        private final Map<LoopCounters, Runnable> ofLoops = new HashMap<>();
        private final Map<ProgressEngine, UcxEngineMetrics> ofEngines = new HashMap<>();

        Listener(MeterRegistry registry, Tags common) {
            this.registry = registry;
            this.common = common;
        }

        /** Two are the same if their meters would be. */
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Listener that && registry == that.registry && common.equals(that.common);
        }

        @Override
        public int hashCode() {
            return Objects.hash(System.identityHashCode(registry), common);
        }

        @Override
        public void loopStarted(LoopCounters loop) {
            BoundMeters<LoopCounters> meters = new BoundMeters<>(registry, loop);
            // Before they are bound: what is bound is removed even if the registry throws.
            ofLoops.put(loop, meters.removal());
            for (UcxNettyMeters meter : UcxNettyMeters.values()) {
                if (meter.getType() == Meter.Type.GAUGE) {
                    meters.gauge(meter, tags(loop), meter.value());
                } else {
                    meters.counter(meter, tags(loop), meter.value());
                }
            }
        }

        private Tags tags(LoopCounters loop) {
            return common.and(UcxNettyMeters.Tag.LOOP.asString(), loop.loop());
        }

        @Override
        public void loopEnded(LoopCounters loop) {
            Runnable removal = ofLoops.remove(loop);
            if (removal != null) {
                removal.run();
            }
        }

        @Override
        public void engineStarted(ProgressEngine engine) {
            ofEngines.computeIfAbsent(engine, started -> new UcxEngineMetrics(started, common)).bindTo(registry);
        }

        @Override
        public void engineEnded(ProgressEngine engine) {
            UcxEngineMetrics meters = ofEngines.remove(engine);
            if (meters != null) {
                meters.removeFrom(registry);
            }
        }
    }
}
