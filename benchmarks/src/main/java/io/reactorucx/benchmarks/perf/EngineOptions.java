package io.reactorucx.benchmarks.perf;

import io.reactorucx.UcxClient;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxResourcesBuilder;
import io.reactorucx.UcxServer;
import io.reactorucx.core.UcpWorkerConfig;
import io.reactorucx.engine.EngineConfig;
import io.reactorucx.engine.WaitStrategy;
import java.time.Duration;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;

/** How UCX and its engines are set up; both sides are told. */
final class EngineOptions {

    private static final int MAX_ENGINES = 256;
    private static final long POOL_BYTES = 512L << 20;
    private static final int DEFAULT_WINDOW = 1024;
    private static final int WINDOW_BYTES = 1 << 20;
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(30);

    @Option(names = "--tcp", description = "Use TCP only; otherwise UCX chooses, shared memory where it can.")
    private boolean tcp;
    @Option(names = "--error-mode", paramLabel = "peer|none", defaultValue = "peer", converter = Names.class,
            description = "Whether the death of the peer is noticed; peer by default, none is how ucx_perftest runs.")
    private String errorMode = "PEER";
    @Option(names = "--strategy", paramLabel = "busy-spin|adaptive|event", defaultValue = "busy-spin", converter = Names.class,
            description = "What an idle engine does; busy-spin by default, as ucx_perftest does.")
    private String strategy = "BUSY_SPIN";
    @Option(names = "--engines", paramLabel = "N", defaultValue = "1", description = "Threads with a worker each; 1 by default.")
    private int engines = 1;

    /** Reads the names of constants as they are written in commands. */
    static final class Names implements ITypeConverter<String> {

        @Override
        public String convert(String value) {
            return value.toUpperCase(Locale.ROOT).replace('-', '_');
        }
    }

    void check() {
        if (!errorMode.equals("PEER") && !errorMode.equals("NONE")) {
            throw new PerfLimit("--error-mode " + errorMode + ": must be peer or none");
        }
        if (engines < 1 || engines > MAX_ENGINES) {
            throw new PerfLimit("--engines " + engines + ": must be in 1.." + MAX_ENGINES);
        }
        waitStrategy();
    }

    boolean peerErrors() {
        return errorMode.equals("PEER");
    }

    WaitStrategy waitStrategy() {
        try {
            return WaitStrategy.valueOf(strategy);
        } catch (IllegalArgumentException e) {
            throw new PerfLimit("--strategy " + strategy + ": must be busy-spin, adaptive or event");
        }
    }

    /** Messages may be as large as the largest payload, and as many ahead as there are lanes. */
    UcxClient with(UcxClient client, Setup setup) {
        return client.peerFailureDetection(peerErrors()).maxMessageBytes(Setup.MAX_SIZE).messageWindow(window(setup), WINDOW_BYTES)
                .connectTimeout(CONNECT_TIMEOUT);
    }

    /** As for the client, with room for its connections. */
    UcxServer with(UcxServer server, Setup setup) {
        return server.peerFailureDetection(peerErrors()).maxMessageBytes(Setup.MAX_SIZE).messageWindow(window(setup), WINDOW_BYTES)
                .maxConnections(setup.connections()).handshakeTimeout(CONNECT_TIMEOUT);
    }

    private static int window(Setup setup) {
        return Math.max(DEFAULT_WINDOW, setup.window());
    }

    /** Resources with the features that a test needs, and no other: each may change which transports UCX takes. */
    UcxResources resources(Setup setup) {
        long underWay = Math.ceilDiv(setup.connections(), engines) * 2L * setup.window() + setup.connections();
        int inFlight = Math.clamp(underWay, UcpWorkerConfig.DEFAULT_MAX_IN_FLIGHT, 1 << 20);
        EngineConfig engine = EngineConfig.of("perf").withWaitStrategy(waitStrategy())
                .withLimits(EngineConfig.DEFAULT_COMMAND_QUEUE_CAPACITY, inFlight);
        UcxResourcesBuilder builder = UcxResources.builder().engines(engines).engineConfig(engine).maxBufferBytes(POOL_BYTES)
                .streams(setup.test() == PerfTest.STREAM)
                .remoteMemoryAccess(setup.isOneSided())
                .remoteAtomics(setup.isOneSided() && setup.test().isAtomic());
        if (tcp) {
            builder.transports("tcp");
        }
        return builder.build();
    }
}
