package io.reactorucx.examples;

import io.reactorucx.core.Ucx;
import io.reactorucx.examples.doctor.Finding;
import io.reactorucx.examples.doctor.Severity;
import io.reactorucx.examples.doctor.facts.Component;
import io.reactorucx.examples.doctor.facts.MemoryDomain;
import io.reactorucx.examples.doctor.facts.Transport;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/** The report of {@code info}, as text and as JSON; {@code docs/spec/info.md} describes the JSON. */
record MachineReport(List<Component> components, List<Finding> findings, Optional<Route> connection) {

    private static final int SCHEMA = 1;
    private static final int WIDTH = 80;
    private static final double NANOS = 1e9;

    Severity worst() {
        return findings.stream().map(Finding::severity).max(Comparator.naturalOrder()).orElse(Severity.OK);
    }

    String json() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("schema", SCHEMA);
        all.put("project", projectVersion());
        all.put("java", map("version", Runtime.version(), "vm", property("java.vm.name"), "os", property("os.name"),
                "osVersion", property("os.version"), "arch", property("os.arch")));
        all.put("ucx", Ucx.isAvailable()
                ? map("available", true, "version", Ucx.version(), "headers", headers(), "library", library(),
                        "threadMode", threadMode())
                : map("available", false, "headers", headers(), "problem", problem()));
        all.put("components", components.stream().map(component -> map("name", component.name(),
                "memoryDomains", component.memoryDomains().stream().map(MachineReport::domain).toList())).toList());
        all.put("findings", findings.stream().map(finding -> map("check", finding.check(), "severity",
                finding.severity(), "measured", finding.measured(), "meaning", finding.meaning(), "remedy",
                finding.remedy())).toList());
        connection.ifPresent(route -> all.put("connection", map("to", route.to(), "transports", route.transports(),
                "kinds", route.tags(), "errorMode", route.errorMode(), "ucx", route.ucx().map(Object::toString)
                .orElse(""), "tcpAddresses", route.tcpAddresses())));
        all.put("worst", worst());
        return Json.text(all);
    }

    private static Map<String, Object> domain(MemoryDomain domain) {
        return map("name", domain.name(), "problem", domain.problem(), "flags", domain.flags(),
                "registrableMemoryTypes", domain.registrableTypes(),
                "registrationCost", map("fixedSeconds", plain(domain.fixedCostSeconds()),
                        "secondsPerByte", plain(domain.costSecondsPerByte())),
                "packedKeyBytes", domain.packedKeyBytes(), "localCpus", domain.localCpus(),
                "transports", domain.transports().stream().map(transport -> map("name", transport.name(),
                        "device", transport.device(), "type", transport.type().name())).toList());
    }

    /** JSON has no infinite numbers; UCX reports an infinite cost for memory that cannot be registered. */
    private static Object plain(double number) {
        return Double.isFinite(number) ? BigDecimal.valueOf(number) : "unknown";
    }

    private static Map<String, Object> map(Object... namesAndValues) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            map.put(namesAndValues[i].toString(), namesAndValues[i + 1]);
        }
        return map;
    }

    String text() {
        StringBuilder out = new StringBuilder();
        line(out, "Reactor UCX", projectVersion());
        line(out, "UCX", Ucx.isAvailable()
                ? Ucx.version() + " from " + library() + ", thread mode " + threadMode() : "not available");
        line(out, "Bindings", "made from the headers of UCX " + headers());
        line(out, "Java", Runtime.version() + ", " + property("java.vm.name") + ", on " + property("os.name") + " "
                + property("os.version") + " " + property("os.arch"));
        out.append(components.isEmpty() ? "" : "\nComponents, their memory domains and transports\n");
        components.forEach(component -> describe(out, component));
        out.append("\nProblems and remedies\n");
        findings.forEach(finding -> describe(out, finding));
        Map<Severity, Long> counts = findings.stream().collect(Collectors.groupingBy(Finding::severity,
                Collectors.counting()));
        out.append("\nErrors: ").append(counts.getOrDefault(Severity.ERROR, 0L))
                .append(", warnings: ").append(counts.getOrDefault(Severity.WARNING, 0L))
                .append(", notes: ").append(counts.getOrDefault(Severity.NOTE, 0L)).append('\n');
        return out.toString();
    }

    private static void line(StringBuilder out, String name, String value) {
        row(out, String.format(Locale.ROOT, "%-12s ", name), value);
    }

    /** Appends a row; a text that is too wide goes on below its beginning. A single word may stick out. */
    private static void row(StringBuilder out, String start, String text) {
        out.append(start);
        int column = start.length();
        for (String word : text.split(" ")) {
            if (column > start.length()) {
                boolean fits = column + 1 + word.length() <= WIDTH;
                out.append(fits ? " " : "\n" + " ".repeat(start.length()));
                column = fits ? column + 1 : start.length();
            }
            out.append(word);
            column += word.length();
        }
        out.append('\n');
    }

    private static void describe(StringBuilder out, Component component) {
        if (component.memoryDomains().isEmpty()) {
            out.append(String.format(Locale.ROOT, "  %-10s no memory domain%n", component.name()));
        }
        component.memoryDomains().forEach(domain -> {
            row(out, String.format(Locale.ROOT, "  %-10s %-14s ", component.name(), domain.name()),
                    domain.problem().isEmpty() ? summary(domain) : "cannot be opened: " + domain.problem());
            domain.transports().stream()
                    .collect(Collectors.groupingBy(Transport::name, LinkedHashMap::new, Collectors.toList()))
                    .forEach((name, devices) -> row(out, String.format(Locale.ROOT,
                            "  %-10s %-14s   %-8s %-4s ", "", "", name, devices.getFirst().type()),
                            devices.stream().map(Transport::device).collect(Collectors.joining(", "))));
        });
    }

    private static String summary(MemoryDomain domain) {
        String cost = domain.flags().contains("REG") && Double.isFinite(domain.fixedCostSeconds())
                ? String.format(Locale.ROOT, ", registers %s in %.0f ns + %.3f ns/B",
                        String.join(", ", domain.registrableTypes()), domain.fixedCostSeconds() * NANOS,
                        domain.costSecondsPerByte() * NANOS) : "";
        return String.join(" ", domain.flags()) + cost + ", key " + domain.packedKeyBytes() + " B, cpus "
                + domain.localCpus();
    }

    private static void describe(StringBuilder out, Finding finding) {
        row(out, String.format(Locale.ROOT, "  %-8s %-20s ", finding.severity(), finding.check()),
                finding.measured());
        if (finding.severity() != Severity.OK) {
            String start = String.format(Locale.ROOT, "  %-8s %-20s ", "", "");
            row(out, start, finding.meaning());
            if (!finding.remedy().isEmpty()) {
                row(out, start + "-> ", finding.remedy());
            }
        }
    }

    private static String headers() {
        return Ucx.headersVersion().major() + "." + Ucx.headersVersion().minor();
    }

    private static String library() {
        return Ucx.libraryPath().map(Object::toString).orElse("?");
    }

    private static String threadMode() {
        return Ucx.maxThreadMode().name().toLowerCase(Locale.ROOT);
    }

    private static String problem() {
        return Ucx.unavailabilityCause().map(Throwable::getMessage).orElse("?");
    }

    private static String property(String name) {
        return System.getProperty(name, "?");
    }

    /** The version that the build writes into a resource. */
    private static String projectVersion() {
        try (InputStream in = Objects.requireNonNull(MachineReport.class.getResourceAsStream("version.txt"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
