package io.reactorucx.benchmarks.rig.cases;

import java.util.Locale;
import java.util.function.DoubleFunction;

/** The compared figure of a measurement. */
public enum Metric {

    /** The median latency, of half a round trip or of the whole operation. */
    P50("p50_ns", Metric::time),
    /** The 99th percentile. */
    P99("p99_ns", Metric::time),
    /** The 99.9th percentile. */
    P999("p999_ns", Metric::time),
    /** Bytes that arrive per second. */
    BANDWIDTH("bytes_per_second", value -> format("%.2f GB/s", value / 1e9)),
    /** Messages that arrive per second. */
    RATE("messages_per_second", value -> format("%.3f M/s", value / 1e6)),
    /** Bytes of the Java heap for an operation, on the threads that take part. */
    ALLOCATION("alloc_bytes_per_op", value -> format("%.1f B/op", value)),
    /** Processor time of both processes for an operation. */
    CPU("cpu_ns_per_op", Metric::time),
    /** The share of a core that the busier of the two processes uses. */
    CPU_SHARE("cpu_share", value -> format("%.2f %%", value * 100));

    private final String field;
    private final DoubleFunction<String> text;

    /** Whether each turn has this figure, and not the measurement as a whole alone. */
    public boolean isOfTurns() {
        return this == P50 || this == BANDWIDTH || this == RATE;
    }

    Metric(String field, DoubleFunction<String> text) {
        this.field = field;
        this.text = text;
    }

    private static String time(double nanos) {
        return nanos < 10_000 ? format("%.0f ns", nanos) : format("%.1f us", nanos / 1e3);
    }

    private static String format(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }

    /** {@return the name of the figure in a measurement} */
    public String field() {
        return field;
    }

    /** {@return a figure with its unit} */
    public String text(double value) {
        return text.apply(value);
    }
}
