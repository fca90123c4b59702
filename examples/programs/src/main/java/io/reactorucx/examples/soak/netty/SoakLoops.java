package io.reactorucx.examples.soak.netty;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.channel.EventLoopGroup;
import io.netty.util.internal.PlatformDependent;
import io.reactorucx.examples.soak.Levels;
import io.reactorucx.netty.UcxLoopStatistics;
import io.reactorucx.netty.UcxNettyConfig;
import io.reactorucx.netty.UcxNettyMetrics;
import io.reactorucx.netty.resources.UcxLoopResources;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ToLongFunction;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.netty.resources.LoopResources;

/** The loops over UCX of one process of the soak, and what they hold. */
final class SoakLoops implements AutoCloseable {

    /** How long a peer that is stopped, or that no packet reaches, stays unnoticed at most: 1.75 of these. */
    static final Duration HEARTBEAT = Duration.ofSeconds(1);

    private static final int LOOPS = 2;
    private static final Duration END_LIMIT = Duration.ofSeconds(10);
    private static final String LEASED = "leased bytes";
    private static final String IN_FLIGHT = "in flight";
    private static final String CHANNELS = "channels";

    private final UcxLoopResources loops;
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    SoakLoops(boolean tcp) {
        UcxNettyConfig defaults = UcxNettyConfig.DEFAULT;
        UcxNettyConfig config = defaults.withTimeouts(defaults.handshakeTimeout(), defaults.closeTimeout(), HEARTBEAT,
                defaults.linkIdleTimeout());
        loops = UcxLoopResources.create("soak", LOOPS, tcp ? config.withTransports("tcp") : config);
        new UcxNettyMetrics(loops.factory()).bindTo(registry);
    }

    LoopResources resources() {
        return loops;
    }

    EventLoopGroup group() {
        return loops.onServer(true);
    }

    long sum(ToLongFunction<UcxLoopStatistics> value) {
        return loops.factory().statistics().stream().mapToLong(value).sum();
    }

    private long meter(String name) {
        return Math.round(registry.find(name).gauges().stream().mapToDouble(Gauge::value).sum());
    }

    /** Returns whether no channel is open, and no operation of UCX or buffer with data in use. */
    boolean isIdle() {
        return idle().values().stream().allMatch(each -> each == 0);
    }

    /** Returns what is in use without being idle, for a message. */
    String inUse() {
        return idle().toString();
    }

    /** Returns the values that have to be zero without channels. */
    private Map<String, Long> idle() {
        Map<String, Long> values = new LinkedHashMap<>();
        values.put(CHANNELS, sum(UcxLoopStatistics::channels));
        values.put(IN_FLIGHT, meter("reactor.ucx.operations.in.flight"));
        values.put(LEASED, meter("reactor.ucx.netty.buffers.leased"));
        return values;
    }

    static boolean isIdle(Levels levels) {
        return levels.of(CHANNELS) == 0 && levels.of(IN_FLIGHT) == 0 && levels.of(LEASED) == 0;
    }

    /** Emits what this process holds after a garbage collection. Waits on a thread that may block. */
    Mono<Levels> settled() {
        return Mono.fromCallable(this::now).subscribeOn(Schedulers.boundedElastic());
    }

    private Levels now() {
        long leaks = LeakReports.settled();
        Map<String, Long> values = idle();
        values.put(Levels.UNEXPECTED, leaks + sum(UcxLoopStatistics::violations));
        values.put("links", sum(UcxLoopStatistics::links));
        long slabs = meter("reactor.ucx.netty.buffers.slabs");
        values.put(Levels.SLABS, slabs);
        Levels.addProcess(values, slabs, Math.max(0, PlatformDependent.usedDirectMemory()));
        return new Levels(values);
    }

    @Override
    public void close() {
        loops.disposeLater(Duration.ZERO, END_LIMIT).block();
        registry.close();
    }
}
