package io.reactorucx.benchmarks.rig.cases;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A run of {@code ucx_perftest}, the tool in C.
 *
 * @param test the name of the test
 * @param size bytes of a message
 * @param window operations in flight, 1 for latency
 * @param tcp whether it uses TCP only; otherwise UCX chooses
 * @param peerErrors whether its endpoints detect the failure of the peer, which excludes some protocols
 * @param perSecond operations per second that it may reach on a fast machine; used until they are measured
 */
public record Perftest(String test, int size, int window, boolean tcp, boolean peerErrors, long perSecond) {

    private static final long FEWEST = 100;

    public Perftest(String test, int size, int window, boolean tcp, long perSecond) {
        this(test, size, window, tcp, false, perSecond);
    }

    public Perftest withPeerErrors() {
        return new Perftest(test, size, window, tcp, true, perSecond);
    }

    /**
     * A line that it prints once a second.
     *
     * @param nanos when it was printed
     * @param iterations messages, or round trips, so far
     * @param medianNanos the median of the last ones
     */
    public record Report(long nanos, long iterations, double medianNanos) {

        private static final Pattern LINE = Pattern.compile("(?:\\[thread 0])?([0-9]+),([0-9.]+),.*");

        public static Optional<Report> of(long nanos, String text) {
            Matcher matcher = LINE.matcher(text);
            return matcher.matches() ? Optional.of(new Report(nanos, Long.parseLong(matcher.group(1)),
                    1e3 * Double.parseDouble(matcher.group(2)))) : Optional.empty();
        }
    }

    /** {@return the command of either side, without the server's address, for its final figures} */
    public List<String> arguments(int port, long warmup, long messages) {
        List<String> all = new ArrayList<>(argumentsWithReports(port, warmup, messages));
        all.add("-f");
        return all;
    }

    /** {@return the same for a line of figures each second} */
    public List<String> argumentsWithReports(int port, long warmup, long messages) {
        List<String> all = new ArrayList<>(List.of("ucx_perftest", "-t", test, "-s", Integer.toString(size), "-p",
                Integer.toString(port), "-w", Long.toString(warmup), "-n", Long.toString(messages), "-v"));
        if (window > 1) {
            all.addAll(List.of("-O", Integer.toString(window)));
        }
        if (peerErrors) {
            all.add("-e");
        }
        return all;
    }

    /** {@return the number of messages for about a duration} */
    public static long count(double seconds, double perSecond) {
        return Math.max(FEWEST, (long) (seconds * perSecond));
    }

    public boolean isLatency() {
        return window == 1;
    }

    /** Whether the latency is half of a round trip. */
    private boolean isOneWay() {
        return test.endsWith("_lat");
    }

    /**
     * {@return the figures of its output with {@code -v}, a line of names and a line of numbers, in the form of
     * {@code perf}}
     */
    public JsonObject figures(List<String> output) {
        int head = 0;
        while (head < output.size() && !output.get(head).startsWith("iterations,")) {
            head++;
        }
        if (head + 1 >= output.size()) {
            throw new IllegalStateException("ucx_perftest printed no figures: " + String.join(" | ", output));
        }
        List<String> names = Arrays.asList(output.get(head).split(","));
        String[] values = output.get(head + 1).split(",");
        JsonObject json = description();
        json.addProperty("operations", value(names, values, "iterations"));
        if (isLatency()) {
            json.addProperty("p50_ns", 1e3 * value(names, values, "50.0_percentile_lat"));
            json.addProperty("mean_ns", 1e3 * value(names, values, "overall_lat"));
        }
        // A message in each direction is one operation, as in perf.
        double rate = value(names, values, "overall_mr") / (isLatency() && isOneWay() ? 2 : 1);
        json.addProperty("messages_per_second", rate);
        json.addProperty("bytes_per_second", rate * size);
        return json;
    }

    /** {@return the parameters in the form of {@code perf}} */
    public JsonObject description() {
        JsonObject json = new JsonObject();
        json.addProperty("who", "ucx_perftest");
        json.addProperty("test", test);
        json.addProperty("mode", isLatency() ? "latency" : "bandwidth");
        json.addProperty("transport", tcp ? "tcp" : "shm");
        json.addProperty("error_mode", peerErrors ? "peer" : "none");
        json.addProperty("size", size);
        json.addProperty("window", window);
        if (isLatency()) {
            json.addProperty("one_way", isOneWay());
        }
        return json;
    }

    private static double value(List<String> names, String[] values, String name) {
        int index = names.indexOf(name);
        if (index < 0 || index >= values.length) {
            throw new IllegalStateException(String.format(Locale.ROOT, "ucx_perftest: no %s in %s", name, names));
        }
        return Double.parseDouble(values[index]);
    }
}
