package io.reactorucx.netty;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.search.Search;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.metrics.UcxEngineMetrics;
import io.reactorucx.netty.internal.LoopCounters;
import io.reactorucx.netty.internal.LoopListener;
import java.util.List;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

/**
 * Binds the meters of loops to a registry: those of {@link UcxNettyMeters} for each loop, and those of
 * {@link UcxEngineMetrics} for its engines, from an engine's start to its end. The meters of a loop that has ended are
 * removed. Nothing is added to the path of a byte: the meters read counters that the loops keep anyway.
 *
 * <p>A module that uses this class also says {@code requires micrometer.core}.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> the meters hold loops and engines weakly; the factory holds the
 * registry. <b>Errors:</b> none.
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

    @Override
    public void bindTo(MeterRegistry registry) {
        Objects.requireNonNull(registry, "registry");
        factory.registry().listen(new Listener(registry, common));
    }

    /** Adds and removes the meters of loops and engines. */
    private record Listener(MeterRegistry registry, Tags common) implements LoopListener {

        @Override
        public void loopStarted(LoopCounters loop) {
            for (UcxNettyMeters meter : UcxNettyMeters.values()) {
                register(meter, loop, value(meter));
            }
        }

        private Tags tags(LoopCounters loop) {
            return common.and(UcxNettyMeters.Tag.LOOP.asString(), loop.loop());
        }

        private void register(UcxNettyMeters meter, LoopCounters loop, ToDoubleFunction<LoopCounters> value) {
            if (meter.getType() == Meter.Type.GAUGE) {
                Gauge.builder(meter.getName(), loop, value).tags(tags(loop)).baseUnit(meter.getBaseUnit())
                        .description(meter.description()).register(registry);
            } else {
                FunctionCounter.builder(meter.getName(), loop, value).tags(tags(loop)).baseUnit(meter.getBaseUnit())
                        .description(meter.description()).register(registry);
            }
        }

        private static ToDoubleFunction<LoopCounters> value(UcxNettyMeters meter) {
            return switch (meter) {
                case CHANNELS -> LoopCounters::channels;
                case CHANNELS_LIMIT -> loop -> loop.config().maxChannels();
                case REFUSED_CHANNELS -> LoopCounters::refusedChannels;
                case OPENED_CHANNELS -> LoopCounters::openedChannels;
                case CLOSED_CHANNELS -> LoopCounters::closedChannels;
                case RESET_CHANNELS -> LoopCounters::resetChannels;
                case WAITING_CHANNELS -> LoopCounters::waitingChannels;
                case PENDING_HANDSHAKES -> LoopCounters::pendingHandshakes;
                case FAILED_HANDSHAKES -> LoopCounters::failedHandshakes;
                case LINKS -> LoopCounters::links;
                case LINKS_LIMIT -> LoopCounters::maxLinks;
                case REFUSED_LINKS -> LoopCounters::refusedLinks;
                case CONNECTED_LINKS -> LoopCounters::connectedLinks;
                case ACCEPTED_LINKS -> LoopCounters::acceptedLinks;
                case FAILED_LINKS -> LoopCounters::failedLinks;
                case PENDING_LINKS -> LoopCounters::pendingLinks;
                case PENDING_LINKS_LIMIT -> LoopCounters::maxPendingLinks;
                case FAILED_LINK_HANDSHAKES -> LoopCounters::failedLinkHandshakes;
                case VIOLATIONS -> LoopCounters::violations;
                case SENT_BYTES -> LoopCounters::sentBytes;
                case RECEIVED_BYTES -> LoopCounters::receivedBytes;
                case LEASED_BYTES -> LoopCounters::leasedBytes;
                case SLAB_BYTES -> LoopCounters::slabBytes;
                case BUFFER_LIMIT -> LoopCounters::maxBufferBytes;
                case SPINS -> LoopCounters::spins;
                case VAIN_SPINS -> LoopCounters::vainSpins;
                case SLEEPS -> LoopCounters::sleeps;
            };
        }

        @Override
        public void loopEnded(LoopCounters loop) {
            for (UcxNettyMeters meter : UcxNettyMeters.values()) {
                List.copyOf(Search.in(registry).name(meter.getName()).tags(tags(loop)).meters())
                        .forEach(registry::remove);
            }
        }

        @Override
        public void engineStarted(ProgressEngine engine) {
            new UcxEngineMetrics(engine, common).bindTo(registry);
        }

        @Override
        public void engineEnded(ProgressEngine engine) {
            new UcxEngineMetrics(engine, common).removeFrom(registry);
        }
    }
}
