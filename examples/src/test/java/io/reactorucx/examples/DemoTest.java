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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The demo as a user starts it: two processes, what they print and write, and how they end when something is wrong. */
class DemoTest {

    private static final Pattern CONNECTED = Pattern.compile(
            "\\(1\\) connected: .* here \\(pid (\\d+)\\), .* there \\(pid (\\d+)\\), over (.+)");
    private static final Pattern ROW = Pattern.compile("    (\\S.*?) {2,}([\\d,]+) +([\\d.]+) +([\\d.]+) +([\\d.]+|-) +([\\d.]+|-)");
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

    @ParameterizedTest
    @CsvSource({"0, false", "1, false", "3145729, false", "0, true", "1, true", "3145729, true"})
    void movesAFileAndReportsTheSameFiguresTwice(int size, boolean tcp) throws IOException {
        byte[] content = new byte[size];
        new Random(size).nextBytes(content);
        Path file = Files.write(directory.resolve("a \"file\\"), content);
        Path json = directory.resolve("figures.json");
        List<String> arguments = new ArrayList<>(List.of("demo", "--file", file.toString(), "--json", json.toString()));
        if (tcp) {
            arguments.add("--tcp");
        }

        DemoProcess.Ended ended = DemoProcess.run(directory, arguments.toArray(String[]::new));

        assertThat(ended.exitCode()).as(ended::text).isZero();
        assertThat(ended.out().getLast()).as(ended::text).isEqualTo("demo: OK");
        assertThat(ended.err()).isEmpty();
        List<String> transports = List.of(connected(ended.out()).group(3).split(", "));
        assertThat(transports).isNotEmpty().allMatch(transport -> !tcp || transport.startsWith("tcp/"));
        Map<String, Object> figures = JsonReader.readObject(Files.readString(json));
        String digest = HexFormat.of().formatHex(DemoProtocol.sha256().digest(content));
        assertThat(ended.out()).contains("    SHA-256 of the file that was streamed is the same on both sides: " + digest,
                "    SHA-256 of the file that was read back is the same on both sides: " + digest);
        assertThat(figures).containsOnlyKeys("ucx", "transports", "file", "sha256", "steps", "windowBytes", "mostRssAnonBytes", "meters")
                .containsEntry("sha256", digest).containsEntry("file", file.toString())
                .containsEntry("transports", String.join(",", transports));
        assertThat(steps(figures)).extracting(step -> step.get("bytes")).endsWith(BigDecimal.valueOf(size), BigDecimal.valueOf(size),
                BigDecimal.valueOf(DemoProtocol.SCRATCH_BYTES));
        assertSameAsPrinted(figures, ended.out());
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
        assertThat(rows).extracting(row -> row.group(1)).hasSize(4).isEqualTo(steps.stream().map(step -> step.get("step")).toList());
        for (int i = 0; i < rows.size(); i++) {
            Map<String, Object> step = steps.get(i);
            assertPrinted(rows.get(i).group(2), step.get("bytes"), 0);
            assertPrinted(rows.get(i).group(3), step.get("seconds"), 0.000502);
            assertPrinted(rows.get(i).group(4), step.get("gigabytesPerSecond"), 0.000502);
            assertPrinted(rows.get(i).group(5), step.getOrDefault("p50Micros", "-"), 0.0051);
            assertPrinted(rows.get(i).group(6), step.getOrDefault("p99Micros", "-"), 0.0051);
        }
        Map<String, BigDecimal> printed = new LinkedHashMap<>();
        out.subList(out.indexOf("    meters of the client:"), out.size()).stream().flatMap(line -> METER.matcher(line).results())
                .forEach(meter -> printed.put(meter.group(1), new BigDecimal(meter.group(2).replace(",", ""))));
        assertThat(printed).isNotEmpty().isEqualTo(figures.get("meters"));
        Map<String, BigDecimal> memory = (Map<String, BigDecimal>) figures.get("mostRssAnonBytes");
        assertThat(memory).containsOnlyKeys("server", "client");
        memory.forEach((process, bytes) -> assertThat(out).contains(
                "    most RssAnon of the " + process + ": " + Math.round(bytes.doubleValue() / (1 << 20)) + " MiB"));
    }

    private static void assertPrinted(String printed, Object written, double rounding) {
        if (written instanceof BigDecimal number) {
            assertThat(Double.parseDouble(printed.replace(",", ""))).isCloseTo(number.doubleValue(), within(rounding));
        } else {
            assertThat(printed).isEqualTo(written);
        }
    }

    @Test
    void saysInOneLineThatAFileIsMissing() {
        assertOneLine(DemoProcess.run(directory, "demo", "--file", "no such file"), "no such file");
    }

    @Test
    void saysInOneLineThatADirectoryIsNoFile() {
        assertOneLine(DemoProcess.run(directory, "demo", "--file", "."), "no file that can be read");
    }

    @Test
    void saysInOneLineThatThePortIsTaken() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            assertOneLine(DemoProcess.run(directory, "demo", "--port", Integer.toString(taken.getLocalPort())), "BUSY (-15)");
        }
    }

    @Test
    void saysInOneLineThatItCannotWriteTheFigures() {
        assertOneLine(DemoProcess.run(directory, "demo", "--json", "no such folder/figures.json"), "no such folder/figures.json");
    }

    /** Found only when all is done: the device takes a file but no byte. */
    @Test
    void saysInOneLineThatTheDiskIsFull() throws IOException {
        Path file = Files.write(directory.resolve("file"), new byte[1]);
        assertOneLine(DemoProcess.run(directory, "demo", "--file", file.toString(), "--json", "/dev/full"),
                "cannot be written to /dev/full: ");
    }

    private static void assertOneLine(DemoProcess.Ended ended, String reason) {
        assertThat(ended.exitCode()).as(ended::text).isEqualTo(1);
        assertThat(ended.linesOfOut("demo: ")).as(ended::text).hasSize(1);
        assertThat(ended.out().getLast()).as(ended::text).startsWith("demo: FAILED: ").contains(reason);
        assertThat(ended.err()).isEmpty();
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
            assertThat(ended.linesOfOut("demo: ")).as(ended::text).hasSize(1);
            assertThat(ended.out().getLast()).as(ended::text).matches("demo: " + LOST);
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
            assertThat(ended.err().stream().filter(line -> line.startsWith("demo-server: "))).as(ended::text).singleElement().asString()
                    .matches("demo-server: " + LOST);
        }
    }

    private DemoProcess startWithLargeFile(String transport) throws IOException {
        Path file = directory.resolve("large");
        try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
            sparse.setLength(LARGE);
        }
        return DemoProcess.start(directory, Stream.of("demo", "--file", file.toString(), transport).filter(argument -> !argument.isEmpty())
                .toArray(String[]::new));
    }

    private static long pid(MatchResult connected, int side) {
        return Long.parseLong(connected.group(side));
    }

    /** Until the client has read a part of the file, in step 3. */
    private static void awaitStreaming(DemoProcess demo, long client) throws IOException {
        demo.awaitLine("(3)");
        long before = bytesRead(client);
        await().atMost(DemoProcess.PATIENCE).pollInterval(Duration.ofMillis(2))
                .until(() -> bytesRead(client) > before + WELL_INTO_THE_FILE);
    }

    private static long bytesRead(long pid) throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc", Long.toString(pid), "io"))) {
            return lines.filter(line -> line.startsWith("rchar: ")).mapToLong(line -> Long.parseLong(line.substring("rchar: ".length())))
                    .findFirst().orElseThrow();
        }
    }
}
