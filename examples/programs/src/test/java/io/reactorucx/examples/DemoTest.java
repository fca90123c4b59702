package io.reactorucx.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The demo as a user starts it: two processes, what they print and write, and how they end when something is wrong. */
@Tag("slow")
class DemoTest {

    private static final Pattern CONNECTED = Pattern.compile(
            "\\(1\\) connected: .* here \\(pid (\\d+)\\), .* there \\(pid (\\d+)\\), over (.+)");
    /** Step, amount, time, rate, p50 and p99, each figure with its unit. */
    private static final Pattern ROW = Pattern.compile("    (\\S.*?) {2,}(\\S+ ?[kMGT]?B?) +(\\S+ \\w+) +(\\S+ \\S*/s)"
            + " +(\\S+ [mun]?s|-) +(\\S+ [mun]?s|-)");
    private static final Pattern FIGURE = Pattern.compile("([\\d.]+) ?([kMGTmun]?)(B/s|/s|B|s|)");
    private static final Map<String, Double> PREFIXES = Map.of("", 1.0, "k", 1e3, "M", 1e6, "G", 1e9, "T", 1e12,
            "m", 1e-3, "u", 1e-6, "n", 1e-9);
    /** Largest relative error of three significant digits. */
    private static final double ROUNDING = 0.0051;
    private static final Pattern METER = Pattern.compile("      (\\S.*?) +(-?[\\d,]+)");
    /** The peer's address, then the status by name and number. */
    private static final String LOST = "FAILED: .*127\\.0\\.0\\.1:\\d+.*: [A-Z_]+ \\(-\\d+\\).*";
    private static final long LARGE = 512L << 20;
    private static final long WELL_INTO_THE_FILE = 32L << 20;

    @TempDir
    private Path directory;

    @BeforeEach
    void resolve() throws IOException {
        directory = directory.toRealPath();
    }

    @AfterEach
    void leavesNoCrashReport() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files.map(file -> file.getFileName().toString())).noneMatch(name -> name.startsWith("hs_err"));
        }
    }

    /** Pairs instead of the full product: the transport does not see how large the file is, only that it has parts. */
    @ParameterizedTest
    @CsvSource({"0, false", "3145729, false", "1, true", "3145729, true"})
    void movesAFileAndReportsTheSameFiguresTwice(int size, boolean tcp) throws IOException {
        byte[] content = new byte[size];
        new Random(size).nextBytes(content);
        Path file = Files.write(directory.resolve("a \"file\\"), content);
        Path json = directory.resolve("figures.json");
        List<String> arguments = new ArrayList<>(List.of("demo", "--file", file.toString(), "--json", json.toString()));
        if (tcp) {
            arguments.addAll(List.of("--tcp", "--meters"));
        }

        DemoProcess.Ended ended = DemoProcess.run(directory, arguments.toArray(String[]::new));

        assertThat(ended.exitCode()).as(ended::text).isZero();
        assertThat(ended.out().getLast()).as(ended::text).isEqualTo("demo: OK");
        assertThat(ended.err()).isEmpty();
        List<String> transports = List.of(connected(ended.out()).group(3).split(", "));
        assertThat(transports).isNotEmpty().allMatch(transport -> !tcp || transport.startsWith("tcp/"));
        Map<String, Object> figures = JsonReader.readObject(Files.readString(json));
        String digest = HexFormat.of().formatHex(DemoProtocol.sha256().digest(content));
        assertThat(ended.out()).contains(
                "    SHA-256 of the file that was streamed is the same on both sides: " + digest,
                "    SHA-256 of the file that was read back is the same on both sides: " + digest);
        assertThat(figures).containsOnlyKeys("ucx", "transports", "file", "sha256", "steps", "windowBytes",
                        "peakRssAnonBytes", "meters")
                .containsEntry("sha256", digest).containsEntry("file", file.toString())
                .containsEntry("transports", String.join(",", transports));
        assertThat(steps(figures)).extracting(step -> step.get("bytes")).endsWith(BigDecimal.valueOf(size),
                BigDecimal.valueOf(size), BigDecimal.valueOf(DemoProtocol.SCRATCH_BYTES));
        assertSameAsPrinted(figures, ended.out());
        assertThat(ended.out().contains("    meters of the client:")).isEqualTo(tcp);
        if (tcp) {
            assertSameMetersAsPrinted(figures, ended.out());
        }
        assertThat(ended.out()).allSatisfy(line -> assertThat(line).doesNotContain(" 0.0"));
    }

    private static MatchResult connected(List<String> out) {
        return out.stream().flatMap(line -> CONNECTED.matcher(line).results()).findFirst().orElseThrow();
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> steps(Map<String, Object> figures) {
        return (List<Map<String, Object>>) figures.get("steps");
    }

    @SuppressWarnings("unchecked")
    private static void assertSameAsPrinted(Map<String, Object> figures, List<String> out) {
        List<MatchResult> rows = out.stream().flatMap(line -> ROW.matcher(line).results()).toList();
        List<Map<String, Object>> steps = steps(figures);
        assertThat(rows).extracting(row -> row.group(1)).hasSize(4)
                .isEqualTo(steps.stream().map(step -> step.get("step")).toList());
        for (int i = 0; i < rows.size(); i++) {
            MatchResult row = rows.get(i);
            Map<String, Object> step = steps.get(i);
            double seconds = ((BigDecimal) step.get("seconds")).doubleValue();
            double bytes = ((BigDecimal) step.get("bytes")).doubleValue();
            // The first step is of round trips, of 8 bytes each way.
            double amount = i == 0 ? bytes / (2 * Long.BYTES) : bytes;
            assertPrinted(row.group(2), amount);
            assertPrinted(row.group(3), seconds);
            assertPrinted(row.group(4), amount / seconds);
            assertThat(step.containsKey("p50Micros")).isEqualTo(i == 0);
            if (i == 0) {
                assertPrinted(row.group(5), ((BigDecimal) step.get("p50Micros")).doubleValue() / 1e6);
                assertPrinted(row.group(6), ((BigDecimal) step.get("p99Micros")).doubleValue() / 1e6);
            } else {
                assertThat(List.of(row.group(5), row.group(6))).containsOnly("-");
            }
        }
        Map<String, BigDecimal> memory = (Map<String, BigDecimal>) figures.get("peakRssAnonBytes");
        assertThat(memory).containsOnlyKeys("server", "client");
        memory.forEach((process, bytes) -> assertThat(out).contains("    peak anonymous memory of the " + process
                + " (RssAnon): " + Math.round(bytes.doubleValue() / (1 << 20)) + " MiB"));
    }

    private static void assertSameMetersAsPrinted(Map<String, Object> figures, List<String> out) {
        Map<String, BigDecimal> printed = new LinkedHashMap<>();
        out.subList(out.indexOf("    meters of the client:"), out.size()).stream()
                .flatMap(line -> METER.matcher(line).results())
                .forEach(meter -> printed.put(meter.group(1), new BigDecimal(meter.group(2).replace(",", ""))));
        assertThat(printed).isNotEmpty().isEqualTo(figures.get("meters"));
    }

    /** A figure for people has three significant digits. */
    private static void assertPrinted(String printed, double written) {
        MatchResult figure = FIGURE.matcher(printed).results().findFirst().orElseThrow();
        double value = Double.parseDouble(figure.group(1)) * PREFIXES.get(figure.group(2));
        assertThat(value).as(printed).isCloseTo(written, within(written * ROUNDING));
    }

    @Test
    void saysInOneLineThatAFileIsMissing() {
        assertRefused(DemoProcess.run(directory, "demo", "--file", "no such file"), "no such file");
    }

    @Test
    void saysInOneLineThatADirectoryIsNoFile() {
        assertRefused(DemoProcess.run(directory, "demo", "--file", "."), "not a file that can be read");
    }

    @Test
    void saysInOneLineThatThePortIsTaken() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            assertOneLine(DemoProcess.run(directory, "demo", "--port", Integer.toString(taken.getLocalPort())),
                    "BUSY (-15)");
        }
    }

    @Test
    void saysInOneLineThatItCannotWriteTheFigures() {
        assertRefused(DemoProcess.run(directory, "demo", "--json", "no such folder/figures.json"),
                "no such folder/figures.json");
    }

    /** Fails only at the end: the device can be opened but takes no byte. */
    @Test
    void saysInOneLineThatTheDiskIsFull() throws IOException {
        Path file = Files.write(directory.resolve("file"), new byte[1]);
        assertOneLine(DemoProcess.run(directory, "demo", "--file", file.toString(), "--json", "/dev/full"),
                "cannot be written to /dev/full: ");
    }

    @Test
    void refusesAPortThatDoesNotExist() {
        assertRefused(DemoProcess.run(directory, "demo", "--port", "65536"), "--port 65536: must be in 0..65535");
    }

    /** Wrong arguments: refused before the server process is started. */
    private static void assertRefused(DemoProcess.Ended ended, String reason) {
        assertThat(ended.exitCode()).as(ended::text).isEqualTo(2);
        assertThat(ended.err()).as(ended::text).hasSize(2).first().asString().startsWith("demo: ").contains(reason);
        assertThat(ended.out()).isEmpty();
    }

    private static void assertOneLine(DemoProcess.Ended ended, String reason) {
        assertThat(ended.exitCode()).as(ended::text).isEqualTo(1);
        assertThat(ended.linesOfOut("demo: ")).as(ended::text).isEmpty();
        assertThat(ended.err()).as(ended::text).hasSize(1).first().asString()
                .startsWith("demo: FAILED: ").contains(reason);
    }

    @ParameterizedTest
    @CsvSource({"''", "--tcp"})
    void clientNamesTheServerThatWasKilled(String transport) throws IOException {
        try (DemoProcess demo = startWithLargeFile(transport)) {
            MatchResult connected = connected(List.of(demo.awaitLine("(1)")));
            awaitStreaming(demo, pid(connected, 1));
            ProcessHandle.of(pid(connected, 2)).orElseThrow().destroyForcibly();

            DemoProcess.Ended ended = demo.ended();
            assertThat(ended.exitCode()).as(ended::text).isEqualTo(1);
            assertThat(ended.linesOfOut("demo: ")).as(ended::text).isEmpty();
            assertThat(ended.err().stream().filter(line -> line.startsWith("demo: "))).as(ended::text).singleElement()
                    .asString().matches("demo: " + LOST);
            // UCX may keep an operation towards a peer that died in shared memory: docs/spec/reliability.md says when.
            assertThat(ended.err()).as(ended::text).allMatch(line -> line.startsWith("demo: ")
                    || line.contains("left to the process") || line.contains("cannot be freed: "));
        }
    }

    @ParameterizedTest
    @CsvSource({"''", "--tcp"})
    void serverNamesTheClientThatWasKilled(String transport) throws IOException {
        try (DemoProcess demo = startWithLargeFile(transport)) {
            MatchResult connected = connected(List.of(demo.awaitLine("(1)")));
            awaitStreaming(demo, pid(connected, 1));
            ProcessHandle.of(pid(connected, 1)).orElseThrow().destroyForcibly();

            DemoProcess.Ended ended = demo.ended();
            assertThat(ended.exitCode()).as(ended::text).isEqualTo(128 + 9);
            assertThat(ended.err().stream().filter(line -> line.startsWith("demo-server: "))).as(ended::text)
                    .singleElement().asString().matches("demo-server: " + LOST);
        }
    }

    private DemoProcess startWithLargeFile(String transport) throws IOException {
        Path file = directory.resolve("large");
        try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
            sparse.setLength(LARGE);
        }
        return DemoProcess.start(directory, Stream.of("demo", "--file", file.toString(), transport)
                .filter(argument -> !argument.isEmpty()).toArray(String[]::new));
    }

    private static long pid(MatchResult connected, int side) {
        return Long.parseLong(connected.group(side));
    }

    /** Waits until the client has read a part of the file, in step 3. */
    private static void awaitStreaming(DemoProcess demo, long client) throws IOException {
        demo.awaitLine("(3)");
        long before = bytesRead(client);
        await().atMost(DemoProcess.TIMEOUT).pollInterval(Duration.ofMillis(2))
                .until(() -> bytesRead(client) > before + WELL_INTO_THE_FILE);
    }

    private static long bytesRead(long pid) throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc", Long.toString(pid), "io"))) {
            return lines.filter(line -> line.startsWith("rchar: "))
                    .mapToLong(line -> Long.parseLong(line.substring("rchar: ".length()))).findFirst().orElseThrow();
        }
    }
}
