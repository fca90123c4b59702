package io.reactorucx.benchmarks.perf;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The figures of a measurement.
 *
 * @param setup the parameters
 * @param transports the transports of the connection, by UCX's names
 * @param peerErrors whether UCX detected failures of the peer
 * @param operations number of operations on all connections
 * @param elapsedNanos time from the start of the first to the end of the last, which is its arrival at the server for
 * tests whose operation is one way
 * @param times times of the operations; null where they were not recorded
 * @param client resources used by this process
 * @param server resources used by the server
 * @param rate scheduled operations per second, 0 for a closed loop
 * @param reached whether all scheduled operations took place
 */
record PerfResult(Setup setup, List<String> transports, boolean peerErrors, long operations, long elapsedNanos,
        @Nullable Histogram times, ProcessUse client, ProcessUse server, double rate, boolean reached) {

    private static final double[] PERCENTILES = {50, 90, 99, 99.9, 99.99};
    private static final String[] PERCENTILE_NAMES = {"p50_ns", "p90_ns", "p99_ns", "p999_ns", "p9999_ns"};
    private static final double MICRO = TimeUnit.MICROSECONDS.toNanos(1);

    enum Format { TEXT, CSV, JSON }

    /** The class of the transports that carried the data. */
    String transport() {
        boolean shared = transports.stream().anyMatch(each -> each.startsWith("posix") || each.startsWith("sysv"));
        boolean tcp = transports.stream().allMatch(each -> each.startsWith("tcp"));
        return shared ? "shm" : tcp ? "tcp" : String.join("+", transports);
    }

    double perSecond() {
        return operations * (double) TimeUnit.SECONDS.toNanos(1) / elapsedNanos;
    }

    private double perOperation(long value) {
        return operations == 0 ? 0 : value / (double) operations;
    }

    /** Halves a round trip for tests whose operation is one way. */
    private double nanos(double measured) {
        return setup.mode() == PerfMode.LATENCY && setup.test().isOneWay() ? measured / 2 : measured;
    }

    Map<String, @Nullable Object> fields() {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("who", "reactor-ucx");
        fields.put("test", setup.test().toString());
        fields.put("mode", setup.mode().toString());
        fields.put("transport", transport());
        fields.put("error_mode", peerErrors ? "peer" : "none");
        fields.put("size", setup.size());
        fields.put("window", setup.window());
        fields.put("connections", setup.connections());
        fields.put("operations", operations);
        fields.put("seconds", elapsedNanos / (double) TimeUnit.SECONDS.toNanos(1));
        for (int i = 0; i < PERCENTILES.length; i++) {
            fields.put(PERCENTILE_NAMES[i], times == null ? null : nanos(times.getValueAtPercentile(PERCENTILES[i])));
        }
        fields.put("max_ns", times == null ? null : nanos(times.getMaxValue()));
        fields.put("mean_ns", times == null ? null : nanos(times.getMean()));
        fields.put("messages_per_second", perSecond());
        fields.put("bytes_per_second", perSecond() * setup.size());
        fields.put("alloc_bytes_per_op", perOperation(client.allocatedBytes()));
        fields.put("server_alloc_bytes_per_op", perOperation(server.allocatedBytes()));
        fields.put("cpu_ns_per_op", perOperation(client.cpuNanos() + server.cpuNanos()));
        fields.put("one_way", setup.test().isOneWay());
        fields.put("served", setup.served());
        fields.put("fresh", setup.fresh());
        fields.put("buffers", setup.buffers());
        fields.put("transports", String.join(" ", transports));
        fields.put("rate", rate);
        fields.put("rate_reached", reached);
        return fields;
    }

    String text(Format format) {
        return switch (format) {
            case JSON -> json();
            case CSV -> csv();
            case TEXT -> text();
        };
    }

    private String json() {
        StringJoiner line = new StringJoiner(",", "{", "}");
        fields().forEach((name, value) -> line.add('"' + name + "\":"
                + (value instanceof String text ? quoted(text) : plain(value))));
        return line.toString();
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private static String plain(@Nullable Object value) {
        return value instanceof Double number ? String.format(Locale.ROOT, "%.3f", number) : String.valueOf(value);
    }

    private String csv() {
        StringJoiner names = new StringJoiner(",");
        StringJoiner values = new StringJoiner(",");
        fields().forEach((name, value) -> {
            names.add(name);
            values.add(value == null ? "" : plain(value));
        });
        return names + "\n" + values;
    }

    private String text() {
        StringBuilder out = new StringBuilder();
        out.append(String.format(Locale.ROOT,
                "%s %s of %d bytes%s over %s (%s), error mode %s, %d connection%s, window %d%n", setup.test(),
                setup.mode(), setup.size(), setup.served() ? ", served," : "", transport(),
                String.join(" ", transports), peerErrors ? "peer" : "none", setup.connections(),
                setup.connections() == 1 ? "" : "s", setup.window()));
        out.append(String.format(Locale.ROOT, "  %d operations in %.3f s: %.0f a second, %.2f MB/s%n", operations,
                elapsedNanos / (double) TimeUnit.SECONDS.toNanos(1), perSecond(), perSecond() * setup.size() / 1e6));
        if (times != null) {
            out.append(String.format(Locale.ROOT,
                    "  %s [us]: p50 %.3f, p90 %.3f, p99 %.3f, p99.9 %.3f, max %.3f, mean %.3f%n",
                    setup.test().isOneWay() ? "one way" : "whole operation", micros(50), micros(90), micros(99),
                    micros(99.9), nanos(times.getMaxValue()) / MICRO, nanos(times.getMean()) / MICRO));
        }
        out.append(String.format(Locale.ROOT,
                "  for each: %.1f bytes of Java heap here, %.1f there, %.0f ns of processor on both sides",
                perOperation(client.allocatedBytes()), perOperation(server.allocatedBytes()),
                perOperation(client.cpuNanos() + server.cpuNanos())));
        if (!reached) {
            out.append(String.format(Locale.ROOT, "%n  the rate of %.0f a second was not reached", rate));
        }
        return out.toString();
    }

    private double micros(double percentile) {
        return times == null ? 0 : nanos(times.getValueAtPercentile(percentile)) / MICRO;
    }
}
