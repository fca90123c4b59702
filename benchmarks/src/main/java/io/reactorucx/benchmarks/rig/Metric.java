package io.reactorucx.benchmarks.rig;

import java.util.Locale;

/** What of a measurement is compared. */
enum Metric {

    /** The median latency; how much of the operation that is says the case. */
    P50("p50_ns") {
        @Override
        String text(double value) {
            return value < 10_000 ? format("%.0f ns", value) : format("%.1f us", value / 1e3);
        }
    },
    /** Bytes that arrived in a second. */
    BANDWIDTH("bytes_per_second") {
        @Override
        String text(double value) {
            return format("%.2f GB/s", value / 1e9);
        }
    },
    /** Messages that arrived in a second. */
    RATE("messages_per_second") {
        @Override
        String text(double value) {
            return format("%.3f M/s", value / 1e6);
        }
    },
    /** Bytes of the Java heap for an operation, on the threads that work for it. */
    ALLOCATION("alloc_bytes_per_op") {
        @Override
        String text(double value) {
            return format("%.1f B/op", value);
        }
    },
    /** How much of a core the busier of the two processes takes. */
    CPU_SHARE("cpu_share") {
        @Override
        String text(double value) {
            return format("%.2f %%", value * 100);
        }
    };

    private final String field;

    Metric(String field) {
        this.field = field;
    }

    private static String format(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }

    /** {@return the field of a measurement} */
    String field() {
        return field;
    }

    /** {@return a figure with its unit} */
    abstract String text(double value);
}
