package io.reactorucx.benchmarks.perf;

import io.reactorucx.benchmarks.HelpOption;
import io.reactorucx.benchmarks.turns.TurnRecorder;
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

/** The client of a measurement, which measures and prints the figures. */
@Command(name = "client", description = "Measures one operation against a server, prints the figures, and ends the"
        + " server. Latency is half a round trip for am, tag, stream and message, and the whole operation for the"
        + " others; a one-sided put ends when the server sees it.")
final class ClientCommand implements Callable<Integer> {

    private static final double MAX_SECONDS = 86_400;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;
    @Mixin
    private HelpOption help = new HelpOption();
    @Mixin
    private EngineOptions options = new EngineOptions();
    @Option(names = "--connect", paramLabel = "ADDRESS", required = true, description = "The server's address,"
            + " HOST:PORT.")
    private String server = "";
    @Option(names = "--test", paramLabel = "TEST", required = true,
            description = "am, tag, stream, message, duplex, request, put, get, fadd, swap or cswap."
                    + " duplex sends messages in both directions at once, and counts those to the server.")
    private String test = "";
    @Option(names = "--mode", paramLabel = "MODE", description = "latency, bandwidth or rate; by default latency.")
    private String mode = "latency";
    @Option(names = "--size", paramLabel = "BYTES", description = "Size of a payload, by default 8.")
    private int size = 8;
    @Option(names = "--window", paramLabel = "N",
            description = "Operations in flight on each connection; by default 1 for latency, 32 for bandwidth, 256"
            + " for rate and with --rate.")
    private @Nullable Integer window;
    @Option(names = "--seconds", paramLabel = "SECONDS", description = "Duration of the measurement, by default 5.")
    private double seconds = 5;
    @Option(names = "--warmup-seconds", paramLabel = "SECONDS",
            description = "Duration of the warm-up, which has 4 parts; by default 2.")
    private double warmupSeconds = 2;
    @Option(names = "--warmup-limit-seconds", paramLabel = "SECONDS",
            description = "As long as the warm-up may go on, in parts of the same length, while the compiler of a JVM"
            + " has much to do; by default as long as --warmup-seconds.")
    private double warmupLimitSeconds;
    @Option(names = "--connections", paramLabel = "N", description = "Connections, each with a window; by default 1.")
    private int connections = 1;
    @Option(names = "--rate", paramLabel = "RATE",
            description = "Operations per second on all connections, for latency. The time of each counts from its"
            + " scheduled start, however late it started. Without --rate an operation starts when another ends.")
    private @Nullable Double rate;
    @Option(names = "--served", description = "Access memory by messages to its owner instead of UCX's own operations.")
    private boolean served;
    @Option(names = "--buffers", paramLabel = "N",
            description = "Buffers that the payloads of a connection use in turn; by default 1, as in ucx_perftest, so"
            + " that large payloads stay in the processors' caches. With as many as the window no buffer is used twice"
            + " at the same time.")
    private int buffers = 1;
    @Option(names = "--fresh", description = "Write each payload before it is sent, so that its bytes pass from one"
            + " processor's cache to the other's as those of an application do. For message, duplex and request with"
            + " --mode bandwidth; best with as many buffers as the window.")
    private boolean fresh;
    @Option(names = "--turns", hidden = true, description = "For a program that stops and continues this one: prints a"
            + " line for each turn, and ends with the standard input.")
    private boolean turns;
    @Option(names = "--format", paramLabel = "FORMAT", description = "text, csv or json; by default text.")
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
        if (turns && (rate != null || options.engines() != 1)) {
            throw new PerfLimit("--turns: with one engine, and without --rate");
        }
        int lanes = window != null ? window : rate != null ? PerfMode.RATE.defaultWindow() : wanted.defaultWindow();
        Setup setup = new Setup(constant(PerfTest.class, "test", test), wanted, size, lanes, connections, served,
                buffers, fresh);
        int colon = server.lastIndexOf(':');
        if (colon < 1 || !server.substring(colon + 1).matches("[1-9][0-9]{0,4}")) {
            throw new PerfLimit("--connect " + server + ": must be HOST:PORT");
        }
        Client client = new Client(setup, options, server.substring(0, colon),
                Integer.parseInt(server.substring(colon + 1)));
        PerfResult result = client.measureTurns(duration("warmup-seconds", warmupSeconds, 0),
                duration("warmup-limit-seconds", warmupLimitSeconds, 0), duration("seconds", seconds, 0.001),
                rate == null ? 0 : rate, turns ? TurnRecorder.ofStandardStreams() : null);
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
        throw new PerfLimit("--" + option + " " + name + ": must be one of " + String.join(", ",
                Arrays.stream(type.getEnumConstants()).map(each -> each.name().toLowerCase(Locale.ROOT)).toList()));
    }
}
