package io.reactorucx.benchmarks.peers;

import io.reactorucx.benchmarks.WarmUp;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Option;

/** The options of a measurement, with the names of {@code perf}. */
final class PeerOptions {

    @Option(names = "--port", description = "server: where to listen; 0 for any")
    private int port;
    @Option(names = "--connect", description = "client: HOST:PORT of the server")
    private String connect = "";
    @Option(names = "--test", description = "am, tag, message, request, get, put; netty: a case of ./run netty")
    private String test = "message";
    @Option(names = "--mode", description = "latency, bandwidth, rate")
    private String mode = "latency";
    @Option(names = "--size", description = "bytes of a message")
    private int size = 8;
    @Option(names = "--window", description = "operations in flight, for bandwidth")
    private int window = 32;
    @Option(names = "--seconds", description = "how long to measure")
    private double seconds = 2;
    @Option(names = "--warmup-seconds", description = "how long to run before that")
    private double warmupSeconds = 1;
    @Option(names = "--rate", description = "latency: so many a second, timed from when each ought to have been sent;"
            + " 0 for one after the other")
    private double rate;
    @Option(names = "--tcp", description = "use TCP only")
    private boolean tcp;
    @Option(names = "--error-mode", description = "none or peer, for peers over UCX")
    private String errorMode = "none";
    @Option(names = "--loops", description = "netty: ucx or kernel")
    private String loops = "kernel";
    @Option(names = "--spin", description = "netty: microseconds for which an idle loop over UCX spins; -1 for the"
            + " default")
    private long spinMicros = -1;
    @Option(names = "--connections", description = "netty: number of connections, at a fixed rate")
    private int connections = 1;
    @Option(names = "--turns", description = "client: print a line for each turn, and end with the standard input")
    private boolean turns;
    @Option(names = "--format", hidden = true, description = "json, the only one")
    private String format = "json";

    int port() {
        return port;
    }

    InetSocketAddress address() {
        int colon = connect.lastIndexOf(':');
        if (colon < 0) {
            throw new IllegalArgumentException("--connect '" + connect + "': HOST:PORT");
        }
        return new InetSocketAddress(connect.substring(0, colon), Integer.parseInt(connect.substring(colon + 1)));
    }

    String test() {
        return test;
    }

    String mode() {
        return mode;
    }

    boolean is(String aMode) {
        return mode.equals(aMode);
    }

    int size() {
        return size;
    }

    int window() {
        return window;
    }

    long nanos() {
        return (long) (seconds * TimeUnit.SECONDS.toNanos(1));
    }

    int warmupParts() {
        return warmupSeconds > 0 ? WarmUp.PARTS : 0;
    }

    /** Duration of each part of the warm-up. */
    long warmupPartNanos() {
        return (long) (warmupSeconds * TimeUnit.SECONDS.toNanos(1) / WarmUp.PARTS);
    }

    boolean isOverUcx() {
        return loops.equals("ucx");
    }

    long spinMicros() {
        return spinMicros;
    }

    int connections() {
        return connections;
    }

    boolean turns() {
        return turns;
    }

    double rate() {
        return rate;
    }

    boolean tcp() {
        return tcp;
    }

    boolean peerErrorMode() {
        return errorMode.equals("peer");
    }

    String errorMode() {
        return errorMode;
    }

    void check() {
        if (!loops.equals("ucx") && !loops.equals("kernel")) {
            throw new IllegalArgumentException("--loops '" + loops + "': ucx or kernel");
        }
        if (spinMicros < -1) {
            throw new IllegalArgumentException("--spin " + spinMicros + ": must be at least -1");
        }
        if (size < 1 || window < 1 || connections < 1 || nanos() < 1 || !(warmupSeconds >= 0) || rate < 0
                || !format.equals("json") || turns && rate > 0) {
            throw new IllegalArgumentException("--size, --window and --connections at least 1, --seconds above 0,"
                    + " --warmup-seconds and --rate not below, --format json, --turns without --rate");
        }
    }
}
