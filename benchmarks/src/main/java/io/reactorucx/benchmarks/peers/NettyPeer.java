package io.reactorucx.benchmarks.peers;

import io.reactorucx.examples.netty.Caller;
import io.reactorucx.examples.netty.FixedRate;
import io.reactorucx.examples.netty.Loops;
import io.reactorucx.examples.netty.Protocol;
import io.reactorucx.examples.netty.Sample;
import io.reactorucx.examples.netty.Service;
import io.reactorucx.examples.netty.Workload;
import io.reactorucx.netty.UcxNettyConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The programs of {@code ./run netty}, with one loop on each side, over UCX or over the kernel's TCP. */
final class NettyPeer implements Peer {

    @Override
    public void serve(PeerOptions options, Lifeline lifeline) throws Exception {
        try (Loops loops = loops(options); Service service = protocol(options).serve(loops.resources())) {
            lifeline.ready(service.port());
            lifeline.await();
        }
    }

    private static Protocol protocol(PeerOptions options) {
        return Workload.named(Workload.all(1, 1), options.test()).protocol();
    }

    private static Loops loops(PeerOptions options) {
        UcxNettyConfig config = UcxNettyConfig.DEFAULT;
        if (options.spinMicros() >= 0) {
            config = config.withSpin(Duration.of(options.spinMicros(), TimeUnit.MICROSECONDS.toChronoUnit()));
        }
        // Both processes are stopped except in their turns, which is longer than heartbeats may take.
        return Loops.create(options.isOverUcx(), config.withTimeouts(config.handshakeTimeout(), config.closeTimeout(),
                Duration.ZERO, config.linkIdleTimeout()));
    }

    @Override
    public Figures measure(PeerOptions options) throws Exception {
        Protocol protocol = protocol(options);
        try (Loops loops = loops(options)) {
            List<Caller> callers = new ArrayList<>();
            try {
                for (int i = 0; i < options.connections(); i++) {
                    callers.add(protocol.connect(loops.resources(), options.address().getPort()));
                }
                return options.rate() > 0 ? atRate(callers, options) : inClosedLoop(callers, options);
            } finally {
                callers.forEach(Caller::close);
            }
        }
    }

    private static Figures inClosedLoop(List<Caller> callers, PeerOptions options) throws Exception {
        CallLoop loop = new CallLoop(callers, options.is("latency") ? 1 : options.window());
        LongWarmUp.run(options, loop::run);
        return loop.measure(options);
    }

    /** The warm-up is a closed loop, but for one part: at a low rate a JVM would compile for a minute. */
    private static Figures atRate(List<Caller> callers, PeerOptions options) throws Exception {
        FixedRate load = new FixedRate((int) Math.round(options.rate()), callers.size());
        LongWarmUp.run(options, new CallLoop(callers, 1)::run);
        load.run(callers, Duration.ofNanos(options.warmupPartNanos()));
        ResourceUse before = ResourceUse.now();
        Sample sample = load.run(callers, Duration.ofNanos(options.nanos()));
        return new Figures(options, sample.calls(), sample.nanos(), sample.times(), false,
                ResourceUse.now().since(before));
    }
}
