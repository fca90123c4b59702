package io.reactorucx.examples;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/** The demo's figures: each is printed when its step ends, then all as a table, and as JSON. */
final class DemoReport {

    private static final double NANOS = 1e9;
    private static final double NANOS_PER_MICRO = 1e3;
    private static final double GIGA = 1e9;
    private static final double MEBI = 1 << 20;

    private final List<Row> rows = new ArrayList<>();
    private final Map<String, Long> memory = new LinkedHashMap<>();
    private final Map<String, Double> meters = new TreeMap<>();
    private final Map<String, String> facts = new LinkedHashMap<>();
    private long windowBytes;

    /** A step that ended. A transfer has 0 operations and no latency. */
    private record Row(String step, long bytes, long operations, double seconds, double p50Nanos, double p99Nanos) {

        double gigabytesPerSecond() {
            return bytes / GIGA / seconds;
        }

        boolean hasLatency() {
            return operations > 0;
        }

        String amount() {
            return hasLatency() ? Figure.count(operations) : Figure.bytes(bytes);
        }

        String time() {
            return Figure.nanos(seconds * NANOS);
        }

        String rate() {
            return hasLatency() ? Figure.perSecond(operations / seconds) : Figure.bytesPerSecond(bytes / seconds);
        }

        String p50() {
            return hasLatency() ? Figure.nanos(p50Nanos) : "-";
        }

        String p99() {
            return hasLatency() ? Figure.nanos(p99Nanos) : "-";
        }
    }

    void fact(String name, String value) {
        facts.put(name, value);
    }

    void latency(String step, long bytes, double seconds, Histogram nanos) {
        Row row = new Row(step, bytes, nanos.getTotalCount(), seconds, nanos.getValueAtPercentile(50),
                nanos.getValueAtPercentile(99));
        rows.add(row);
        System.out.println("    " + row.amount() + " round trips in " + row.time() + ": " + row.rate()
                + ", p50 " + row.p50() + ", p99 " + row.p99());
    }

    void transfer(String step, long bytes, double seconds) {
        Row row = new Row(step, bytes, 0, Math.max(seconds, 1 / NANOS), 0, 0);
        rows.add(row);
        System.out.println("    " + row.amount() + " in " + row.time() + ": " + row.rate());
    }

    void window(long bytes) {
        windowBytes = bytes;
    }

    void memory(String process, long bytes) {
        memory.put(process, bytes);
    }

    void meters(MeterRegistry registry) {
        for (Meter meter : registry.getMeters()) {
            double value = meter.measure().iterator().next().getValue();
            StringBuilder name = new StringBuilder(meter.getId().getName());
            meter.getId().getTags().stream().filter(tag -> !tag.getKey().equals("engine"))
                    .forEach(tag -> name.append(' ').append(tag.getKey()).append('=').append(tag.getValue()));
            if (value != 0) {
                meters.merge(name.toString(), value, Double::sum);
            }
        }
    }

    void print(boolean withMeters) {
        System.out.println("(6) figures");
        System.out.printf(Locale.ROOT, "    %-24s %10s %8s %10s %8s %8s%n", "step", "amount", "time", "rate", "p50",
                "p99");
        for (Row row : rows) {
            System.out.printf(Locale.ROOT, "    %-24s %10s %8s %10s %8s %8s%n", row.step(), row.amount(), row.time(),
                    row.rate(), row.p50(), row.p99());
        }
        memory.forEach((process, bytes) -> System.out.printf(Locale.ROOT,
                "    peak anonymous memory of the %s (RssAnon): %.0f MiB%n", process, bytes / MEBI));
        System.out.printf(Locale.ROOT, "    registered window of the server: %.0f MiB, in shared memory where UCX has"
                + " it%n", windowBytes / MEBI);
        if (withMeters) {
            System.out.println("    meters of the client:");
            meters.forEach((name, value) -> System.out.printf(Locale.ROOT, "      %-56s %,14.0f%n", name, value));
        }
    }

    void write(Path file) {
        Map<String, Object> all = new LinkedHashMap<>(facts);
        all.put("steps", rows.stream().map(DemoReport::object).toList());
        all.put("windowBytes", windowBytes);
        all.put("peakRssAnonBytes", memory);
        Map<String, Object> rounded = new LinkedHashMap<>();
        meters.forEach((name, value) -> rounded.put(name, decimal(value, 0)));
        all.put("meters", rounded);
        try {
            Files.writeString(file, Json.text(all));
        } catch (IOException e) {
            throw new DemoFailure("the figures cannot be written to " + file + ": " + e.getMessage());
        }
    }

    private static Map<String, Object> object(Row row) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("step", row.step());
        object.put("bytes", row.bytes());
        object.put("seconds", decimal(row.seconds(), 9));
        object.put("gigabytesPerSecond", decimal(row.gigabytesPerSecond(), 6));
        if (row.hasLatency()) {
            object.put("p50Micros", decimal(row.p50Nanos() / NANOS_PER_MICRO, 3));
            object.put("p99Micros", decimal(row.p99Nanos() / NANOS_PER_MICRO, 3));
        }
        return object;
    }

    private static BigDecimal decimal(double value, int digits) {
        return new BigDecimal(value).setScale(digits, RoundingMode.HALF_UP);
    }
}
