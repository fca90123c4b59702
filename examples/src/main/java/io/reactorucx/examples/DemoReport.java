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

/** The demo's figures, as a table and as JSON. */
final class DemoReport {

    private static final double NANOS_PER_MICRO = 1e3;
    private static final double GIGA = 1e9;
    private static final double MEBI = 1 << 20;

    private final List<Row> rows = new ArrayList<>();
    private final Map<String, Long> memory = new LinkedHashMap<>();
    private final Map<String, Double> meters = new TreeMap<>();
    private final Map<String, String> facts = new LinkedHashMap<>();
    private long windowBytes;

    private record Row(String step, long bytes, double seconds, double p50Micros, double p99Micros) {

        double gigabytesPerSecond() {
            return bytes / GIGA / Math.max(seconds, 1e-9);
        }

        boolean hasLatency() {
            return p50Micros >= 0;
        }
    }

    void fact(String name, String value) {
        facts.put(name, value);
    }

    void latency(String step, long bytes, double seconds, Histogram nanos) {
        rows.add(new Row(step, bytes, seconds, nanos.getValueAtPercentile(50) / NANOS_PER_MICRO,
                nanos.getValueAtPercentile(99) / NANOS_PER_MICRO));
    }

    void transfer(String step, long bytes, double seconds) {
        rows.add(new Row(step, bytes, seconds, -1, -1));
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

    void print() {
        System.out.println("(6) figures");
        System.out.printf(Locale.ROOT, "    %-24s %14s %10s %8s %10s %10s%n", "step", "bytes", "seconds", "GB/s", "p50 us", "p99 us");
        for (Row row : rows) {
            System.out.printf(Locale.ROOT, "    %-24s %,14d %10.3f %8.3f %10s %10s%n", row.step(), row.bytes(), row.seconds(),
                    row.gigabytesPerSecond(), micros(row, row.p50Micros()), micros(row, row.p99Micros()));
        }
        memory.forEach((process, bytes) -> System.out.printf(Locale.ROOT, "    most RssAnon of the %s: %.0f MiB%n", process, bytes / MEBI));
        System.out.printf(Locale.ROOT,
                "    registered window of the server: %.0f MiB, shared memory where UCX has it, else part of the above%n", windowBytes / MEBI);
        System.out.println("    meters of the client:");
        meters.forEach((name, value) -> System.out.printf(Locale.ROOT, "      %-64s %,16.0f%n", name, value));
    }

    private static String micros(Row row, double value) {
        return row.hasLatency() ? String.format(Locale.ROOT, "%.2f", value) : "-";
    }

    void write(Path file) {
        Map<String, Object> all = new LinkedHashMap<>(facts);
        all.put("steps", rows.stream().map(DemoReport::object).toList());
        all.put("windowBytes", windowBytes);
        all.put("mostRssAnonBytes", memory);
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
        object.put("seconds", decimal(row.seconds(), 6));
        object.put("gigabytesPerSecond", decimal(row.gigabytesPerSecond(), 6));
        if (row.hasLatency()) {
            object.put("p50Micros", decimal(row.p50Micros(), 3));
            object.put("p99Micros", decimal(row.p99Micros(), 3));
        }
        return object;
    }

    private static BigDecimal decimal(double value, int digits) {
        return new BigDecimal(value).setScale(digits, RoundingMode.HALF_UP);
    }
}
