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
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;

/** Options of UCX and the engines; server and client have the same. */
final class EngineOptions {

    private static final int MAX_ENGINES = 256;
    private static final long POOL_BYTES = 512L << 20;
    private static final int DEFAULT_WINDOW = 1024;
    private static final int WINDOW_BYTES = 1 << 20;
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(30);

    @Option(names = "--tcp", description = "Use TCP only. Otherwise UCX chooses, shared memory where it can.")
    private boolean tcp;
    @Option(names = "--error-mode", paramLabel = "MODE", converter = Names.class,
            description = "peer or none: whether UCX detects the death of the peer. By default peer; ucx_perftest runs"
            + " with none.")
    private String errorMode = "PEER";
    @Option(names = "--strategy", paramLabel = "STRATEGY", converter = Names.class,
            description = "Wait strategy of an idle engine: busy-spin, adaptive or event. By default busy-spin, as in"
            + " ucx_perftest.")
    private String strategy = "BUSY_SPIN";
    @Option(names = "--ring-bytes", paramLabel = "BYTES", description = "Size of the rings in memory between peers of"
            + " one host, 0 for none; by default the library's.")
    private @Nullable Integer ringBytes;
    @Option(names = "--engines", paramLabel = "N", description = "Engines, each a thread with a worker; by default 1.")
    private int engines = 1;

    /** Converts {@code busy-spin} to {@code BUSY_SPIN}. */
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

    int engines() {
        return engines;
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

    /** Sets the largest payload as the message limit, and a message window of at least the operations in flight. */
    UcxClient with(UcxClient client, Setup setup) {
        return client.peerFailureDetection(peerErrors()).maxMessageBytes(Setup.MAX_SIZE)
                .messageWindow(window(setup), WINDOW_BYTES).connectTimeout(CONNECT_TIMEOUT);
    }

    /** Sets the client's limits, and its number of connections. */
    UcxServer with(UcxServer server, Setup setup) {
        return server.peerFailureDetection(peerErrors()).maxMessageBytes(Setup.MAX_SIZE)
                .messageWindow(window(setup), WINDOW_BYTES).maxConnections(setup.connections())
                .maxConnectionsPerClient(setup.connections())
                .handshakeTimeout(CONNECT_TIMEOUT);
    }

    private static int window(Setup setup) {
        return Math.max(DEFAULT_WINDOW, setup.window());
    }

    /**
     * Resources with the features that a test needs and no others: a feature may change which transports UCX chooses.
     */
    UcxResources resources(Setup setup) {
        long underWay = Math.ceilDiv(setup.connections(), engines) * 2L * setup.window() + setup.connections();
        int inFlight = Math.clamp(underWay, UcpWorkerConfig.DEFAULT_MAX_IN_FLIGHT, 1 << 20);
        EngineConfig engine = EngineConfig.of("perf").withWaitStrategy(waitStrategy())
                .withLimits(EngineConfig.DEFAULT_COMMAND_QUEUE_CAPACITY, inFlight);
        UcxResourcesBuilder builder = UcxResources.builder().engines(engines).engineConfig(engine)
                .maxBufferBytes(POOL_BYTES).streams(setup.test() == PerfTest.STREAM)
                .remoteMemoryAccess(setup.isOneSided()).remoteAtomics(setup.isOneSided() && setup.test().isAtomic());
        if (tcp) {
            builder.transports("tcp");
        }
        if (ringBytes != null) {
            builder.ringBytes(ringBytes);
        }
        return builder.build();
    }
}
