package io.reactorucx.benchmarks.perf;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The side that measures. */
@Command(name = "client", mixinStandardHelpOptions = true, description = {
    "Measures one operation against a server, prints what came of it, and ends the server.",
    "Latency is that of one way for am, tag, stream and message (half a round trip), and of the whole operation for the others;",
    "a one-sided put is over when the server sees it."})
final class ClientCommand implements Callable<Integer> {

    private static final double MAX_SECONDS = 86_400;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;
    @Mixin
    private EngineOptions options = new EngineOptions();
    @Option(names = "--connect", paramLabel = "HOST:PORT", required = true, description = "The server.")
    private String server = "";
    @Option(names = "--test", paramLabel = "T", required = true,
            description = "am, tag, stream, message, request, put, get, fadd, swap or cswap.")
    private String test = "";
    @Option(names = "--mode", paramLabel = "M", defaultValue = "latency", description = "latency, bandwidth or rate; latency by default.")
    private String mode = "latency";
    @Option(names = "--size", paramLabel = "BYTES", defaultValue = "8", description = "Size of each; 8 by default.")
    private int size;
    @Option(names = "--window", paramLabel = "W",
            description = "Operations at once on each connection; 1 for latency, 32 for bandwidth, 256 for rate and at a --rate.")
    private @Nullable Integer window;
    @Option(names = "--seconds", paramLabel = "S", defaultValue = "5", description = "How long to measure; 5 by default.")
    private double seconds;
    @Option(names = "--warmup-seconds", paramLabel = "S", defaultValue = "2", description = "How long to run before, in 4 parts; 2 by default.")
    private double warmupSeconds;
    @Option(names = "--connections", paramLabel = "N", defaultValue = "1", description = "Connections, each with a window; 1 by default.")
    private int connections;
    @Option(names = "--rate", paramLabel = "R", description = {
        "Operations per second on all connections, for latency: each is timed from when it was to begin, however late it",
        "began. Without it one begins when another is over."})
    private @Nullable Double rate;
    @Option(names = "--served", description = "Memory by messages to its owner, instead of UCX's own operations.")
    private boolean served;
    @Option(names = "--buffers", paramLabel = "N", defaultValue = "1", description = {
        "Pieces of memory that the payloads of a connection take turns with; 1 by default, as ucx_perftest has it, so that",
        "large ones stay in the processors' caches. With as many as the window none is used twice at once."})
    private int buffers;
    @Option(names = "--format", paramLabel = "text|csv|json", defaultValue = "text", description = "text by default.")
    private String format = "text";

    @Override
    public Integer call() {
        return PerfCommand.run(spec, this::measure);
    }

    private void measure() {
        options.check();
        PerfMode wanted = constant(PerfMode.class, "mode", mode);
        PerfResult.Format shown = constant(PerfResult.Format.class, "format", format);
        if (rate != null && (wanted != PerfMode.LATENCY || !(rate > 0) || rate > 1e9)) {
            throw new PerfLimit("--rate " + rate + ": must be more than 0 and at most 1e9, and with --mode latency");
        }
        int lanes = window != null ? window : rate != null ? PerfMode.RATE.defaultWindow() : wanted.defaultWindow();
        Setup setup = new Setup(constant(PerfTest.class, "test", test), wanted, size, lanes, connections, served, buffers);
        int colon = server.lastIndexOf(':');
        if (colon < 1 || !server.substring(colon + 1).matches("[1-9][0-9]{0,4}")) {
            throw new PerfLimit("--connect " + server + ": must be HOST:PORT");
        }
        Client client = new Client(setup, options, server.substring(0, colon), Integer.parseInt(server.substring(colon + 1)));
        PerfResult result = client.measure(duration("warmup-seconds", warmupSeconds, 0), duration("seconds", seconds, 0.001),
                rate == null ? 0 : rate);
        spec.commandLine().getOut().println(result.text(shown));
    }

    private static Duration duration(String option, double value, double min) {
        if (!(value >= min) || value > MAX_SECONDS) {
            throw new PerfLimit("--" + option + " " + value + ": must be in " + min + ".." + MAX_SECONDS);
        }
        return Duration.ofNanos((long) (value * 1e9));
    }

    private static <E extends Enum<E>> E constant(Class<E> type, String option, String name) {
        for (E each : type.getEnumConstants()) {
            if (each.name().equals(name.toUpperCase(Locale.ROOT))) {
                return each;
            }
        }
        throw new PerfLimit("--" + option + " " + name + ": must be one of "
                + String.join(", ", Arrays.stream(type.getEnumConstants()).map(each -> each.name().toLowerCase(Locale.ROOT)).toList()));
    }
}
