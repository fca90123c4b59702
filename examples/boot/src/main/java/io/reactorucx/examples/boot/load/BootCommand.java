package io.reactorucx.examples.boot.load;

import io.reactorucx.examples.boot.load.LoadClient.UcxBytes;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The same application of Spring Boot over the kernel's TCP and over UCX. */
@Command(name = "boot", description = "Starts an application of Spring Boot WebFlux as a second process, over the"
        + " kernel's TCP and then over UCX, and GETs JSON from it by WebClient: one request after the other, and at a"
        + " fixed rate of 500 requests/s. Prints the times of both, and the bytes that the client's loops over UCX have"
        + " counted.")
final class BootCommand implements Callable<Integer> {

    /** Requests a second of the fixed rate. */
    static final int RATE = 500;

    private static final double MAX_SECONDS = 600;
    private static final double MEDIAN = 50;
    private static final double TAIL = 99;
    /** No request and no response is shorter. */
    private static final int LEAST_BYTES = 64;
    /** How Java reports that SIGTERM has ended it. */
    private static final int TERMINATED = 143;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;
    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Print this text.")
    private boolean help;
    @Option(names = "--seconds", paramLabel = "SECONDS", description = "Duration of each of the four measurements, by"
            + " default 2. May have a fraction. Each is preceded by a warm-up of the same length.")
    private double seconds = 2;

    /**
     * The measurements over one transport.
     *
     * @param client the type of the client's channels
     * @param server the type of the server's channels
     * @param closed times of one request after the other, in ns
     * @param fixed times at a fixed rate, in ns
     * @param bytes what loops over UCX have counted; null without them
     */
    private record Measured(String client, String server, Histogram closed, Histogram fixed,
            @Nullable UcxBytes bytes) {
    }

    @Override
    public Integer call() {
        if (!(seconds > 0 && seconds <= MAX_SECONDS)) {
            throw new ParameterException(spec.commandLine(), "--seconds " + seconds + ": must be above 0 and at most "
                    + Math.round(MAX_SECONDS));
        }
        Duration time = Duration.ofNanos(Math.round(seconds * TimeUnit.SECONDS.toNanos(1)));
        try (ApplicationProcess kernelServer = ApplicationProcess.start(false);
                ApplicationProcess ucxServer = ApplicationProcess.start(true);
                LoadClient kernelClient = new LoadClient(false, kernelServer.awaitPort());
                LoadClient ucxClient = new LoadClient(true, ucxServer.awaitPort())) {
            // Both before the first figure: the code of this process is as warm for the one as for the other.
            measure(kernelClient, kernelServer, time);
            measure(ucxClient, ucxServer, time);
            Measured kernel = measure(kernelClient, kernelServer, time);
            Measured ucx = measure(ucxClient, ucxServer, time);
            check(ucx);
            end(kernelServer);
            end(ucxServer);
            print(kernel, ucx);
        }
        out().println("boot: OK");
        return 0;
    }

    private static Measured measure(LoadClient client, ApplicationProcess server, Duration time) {
        Histogram closed = client.closedLoop(time);
        Histogram fixed = client.fixedRate(RATE, time);
        return new Measured(client.channel(), server.awaitChannel(), closed, fixed, client.bytes());
    }

    /** Each request and its response have to be among the bytes. */
    private static void check(Measured ucx) {
        long least = (ucx.closed().getTotalCount() + ucx.fixed().getTotalCount()) * LEAST_BYTES;
        UcxBytes bytes = ucx.bytes();
        if (bytes == null || Math.min(bytes.sent(), bytes.received()) < least) {
            throw new LoadFailure(bytes + " over UCX, of at least " + least + " each");
        }
    }

    private static void end(ApplicationProcess server) {
        server.terminate();
        int code = server.awaitExit();
        if (code != TERMINATED) {
            throw new LoadFailure("the application ended with exit code " + code + " and not with " + TERMINATED);
        }
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    private void print(Measured kernel, Measured ucx) {
        row("channels of the client", kernel.client(), ucx.client());
        row("channels of the server", kernel.server(), ucx.server());
        rows("one after the other", kernel.closed(), ucx.closed());
        rows(RATE + " requests/s", kernel.fixed(), ucx.fixed());
        row("bytes sent, received over UCX", bytes(kernel), bytes(ucx));
    }

    private static String bytes(Measured measured) {
        UcxBytes bytes = measured.bytes();
        return bytes == null ? "-" : bytes.sent() + ", " + bytes.received();
    }

    private void rows(String name, Histogram kernel, Histogram ucx) {
        for (double percentile : new double[] {MEDIAN, TAIL}) {
            row(name + ", p" + Math.round(percentile), at(kernel, percentile), at(ucx, percentile));
        }
        row(name + ", requests", Long.toString(kernel.getTotalCount()), Long.toString(ucx.getTotalCount()));
    }

    private static String at(Histogram nanos, double percentile) {
        return String.format(Locale.ROOT, "%.1f us", nanos.getValueAtPercentile(percentile) / 1000.0);
    }

    private void row(String name, String kernel, String ucx) {
        out().println(String.format(Locale.ROOT, "%-32s %22s %22s", name, kernel, ucx));
    }
}
