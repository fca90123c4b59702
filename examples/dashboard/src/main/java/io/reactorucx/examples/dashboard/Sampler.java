package io.reactorucx.examples.dashboard;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import reactor.core.Disposable;
import reactor.core.publisher.BufferOverflowStrategy;
import reactor.core.publisher.ConnectableFlux;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Reads the meters twice a second, and keeps what it has read in the last two minutes.
 *
 * <p><b>Threading:</b> a thread of its own reads; any may subscribe. <b>Ownership:</b> {@link #close()} ends the
 * thread. <b>Errors:</b> none.
 */
final class Sampler implements AutoCloseable {

    private static final Duration INTERVAL = Duration.ofMillis(500);
    private static final int KEPT = 240;

    private final MeterRegistry registry;
    private final PeerLink link;
    private final long start = System.currentTimeMillis();
    private final Scheduler thread = Schedulers.newSingle("sampler", true);
    private final Flux<Sample> samples;
    private final Disposable sampling;

    Sampler(MeterRegistry registry, PeerLink link) {
        this.registry = registry;
        this.link = link;
        ConnectableFlux<Sample> kept = Flux.interval(Duration.ZERO, INTERVAL, thread).onBackpressureDrop()
                .map(ignored -> sample()).replay(KEPT);
        samples = kept;
        sampling = kept.connect();
    }

    /** {@return the samples that are kept, and then each new one; a slow subscriber misses the oldest} */
    Flux<Sample> samples() {
        return samples.onBackpressureBuffer(KEPT, dropped -> { }, BufferOverflowStrategy.DROP_OLDEST);
    }

    private Sample sample() {
        Map<Figure, Double> figures = new EnumMap<>(Figure.class);
        for (Figure figure : Figure.values()) {
            figures.put(figure, figure.in(registry));
        }
        PeerLink.State state = link.state();
        return new Sample(start, System.currentTimeMillis(), link.connection().peer(), state.connection(),
                state.since(), figures);
    }

    @Override
    public void close() {
        sampling.dispose();
        thread.dispose();
    }
}
