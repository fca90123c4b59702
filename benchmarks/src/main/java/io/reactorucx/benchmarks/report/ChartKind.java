package io.reactorucx.benchmarks.report;

import java.util.Map;
import java.util.OptionalDouble;

/** The charts of a sweep. */
enum ChartKind {

    LATENCY_SHM("latency-by-size-shm", "Round trip by size, shared memory", "bytes", "median [us]", "latency-shm",
            ChartKind::roundTripMicros),
    LATENCY_TCP("latency-by-size-tcp", "Round trip by size, TCP", "bytes", "median [us]", "latency-tcp",
            ChartKind::roundTripMicros),
    BANDWIDTH_SHM("bandwidth-by-size-shm", "Bandwidth by size, shared memory", "bytes", "GB/s", "bandwidth-shm",
            scaled("bytes_per_second", 1e-9)),
    BANDWIDTH_TCP("bandwidth-by-size-tcp", "Bandwidth by size, TCP", "bytes", "GB/s", "bandwidth-tcp",
            scaled("bytes_per_second", 1e-9)),
    RATE("rate-by-window", "Messages of 8 bytes by window, shared memory", "window", "million per second", "window",
            scaled("messages_per_second", 1e-6)),
    LOAD("latency-by-load", "Requests of 8 bytes by load", "requests per second", "99th percentile [us]", "load",
            scaled("p99_ns", 1e-3)) {
        @Override
        OptionalDouble across(Run run, String contender) {
            return run.median(contender, "rate");
        }
    },
    CPU("cpu-per-million-requests", "Processor time of both sides by load", "requests per second",
            "seconds per million requests", "load", scaled("cpu_ns_per_op", 1e-3)) {
        @Override
        OptionalDouble across(Run run, String contender) {
            return run.median(contender, "rate");
        }
    },
    CPU_WINDOW("cpu-per-million-messages", "Processor time of both sides, messages of 8 bytes, shared memory", "window",
            "seconds per million messages", "window", scaled("cpu_ns_per_op", 1e-3)),
    ALLOCATION("allocation-per-message", "Java heap of the client for a request or round trip, by size", "bytes",
            "bytes allocated", "latency", scaled("alloc_bytes_per_op", 1)),
    CONNECTIONS("cost-by-connections", "Messages of 8 bytes on many connections, shared memory", "connections",
            "ns per message", "connections",
            (run, contender) -> divided(1e9, run.median(contender, "messages_per_second")));

    private final String file;
    private final String title;
    private final String across;
    private final String up;
    private final String cases;
    private final Lines.Value value;

    ChartKind(String file, String title, String across, String up, String cases, Lines.Value value) {
        this.file = file;
        this.title = title;
        this.across = across;
        this.up = up;
        this.cases = cases;
        this.value = value;
    }

    private static Lines.Value scaled(String field, double factor) {
        return (run, contender) -> {
            OptionalDouble value = run.median(contender, field);
            return value.isPresent() ? OptionalDouble.of(value.getAsDouble() * factor) : value;
        };
    }

    private static OptionalDouble divided(double dividend, OptionalDouble divisor) {
        return divisor.isPresent() && divisor.getAsDouble() > 0 ? OptionalDouble.of(dividend / divisor.getAsDouble())
                : OptionalDouble.empty();
    }

    private static OptionalDouble roundTripMicros(Run run, String contender) {
        return scaled("p50_ns", run.isOneWay(contender) ? 2e-3 : 1e-3).of(run, contender);
    }

    String file() {
        return file + ".svg";
    }

    String title() {
        return title;
    }

    String acrossTitle() {
        return across;
    }

    String upTitle() {
        return up;
    }

    /** The x value of a point, when it is not the step of the sweep. */
    OptionalDouble across(Run run, String contender) {
        return OptionalDouble.empty();
    }

    /** {@return the points of each line} */
    Map<String, Map<Double, Double>> lines(Run run) {
        return Lines.of(run, cases, this::across, value);
    }
}
