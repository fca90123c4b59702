package io.reactorucx.benchmarks.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.Ucx;
import io.reactorucx.testsupport.NoLeaks;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** Each operation of perf, between this process and a server process. */
@Tag("slow")
class PerfOperationsTest {

    @RegisterExtension
    static final NoLeaks NO_LEAKS = new NoLeaks("perf-");

    private static final Map<String, ServerProcess> SERVERS = new ConcurrentHashMap<>();

    /** The output and the exit code of a client. */
    private record Ended(int exitCode, String out, String err) {

        Map<String, String> fields() {
            assertThat(exitCode).as("exit code; it printed: %s", err).isZero();
            return JsonLine.fields(out.strip());
        }
    }

    @BeforeEach
    void ucx() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
    }

    @AfterAll
    static void close() {
        SERVERS.values().forEach(ServerProcess::close);
        SERVERS.clear();
    }

    private static Ended client(String transport, String errorMode, String... options) {
        List<String> common = new ArrayList<>(List.of("--error-mode", errorMode, "--strategy", "adaptive"));
        if (transport.equals("tcp")) {
            common.add("--tcp");
        }
        ServerProcess server = SERVERS.computeIfAbsent(transport + errorMode,
                key -> ServerProcess.start(Stream.concat(common.stream(), Stream.of("--keep")).toArray(String[]::new)));
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode = new CommandLine(new ClientCommand()).setOverwrittenOptionsAllowed(true)
                .setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true))
                .execute(Stream.of(List.of("--connect", server.address(), "--seconds", "0.05", "--warmup-seconds", "0",
                "--format", "json"), common, List.of(options)).flatMap(List::stream).toArray(String[]::new));
        return new Ended(exitCode, out.toString(), err.toString());
    }

    static Stream<Arguments> operations() {
        return Stream.of("shm", "tcp").flatMap(transport -> Stream.of(PerfTest.values())
                .flatMap(test -> Stream.of(PerfMode.values())
                .filter(mode -> test != PerfTest.DUPLEX || mode != PerfMode.LATENCY)
                .map(mode -> Arguments.of(test, mode, transport))));
    }

    @ParameterizedTest
    @MethodSource("operations")
    void isMeasured(PerfTest test, PerfMode mode, String transport) {
        String errorMode = test.isAtomic() && Ucx.version().isAtLeast(1, 16) ? "none" : "peer";

        Map<String, String> fields = client(transport, errorMode, "--test", test.toString(), "--mode", mode.toString())
                .fields();

        assertThat(fields).containsEntry("who", "reactor-ucx").containsEntry("test", test.toString())
                .containsEntry("mode", mode.toString()).containsEntry("error_mode", errorMode)
                .containsEntry("size", "8").containsEntry("connections", "1")
                .containsEntry("one_way", Boolean.toString(test.isOneWay()))
                .containsKeys("messages_per_second", "bytes_per_second", "alloc_bytes_per_op", "cpu_ns_per_op");
        if (transport.equals("tcp")) {
            assertThat(fields).containsEntry("transport", "tcp");
        }
        assertThat(Long.parseLong(fields.get("operations"))).isPositive();
        if (mode == PerfMode.LATENCY) {
            List<Double> times = Stream.of("p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns")
                    .map(name -> Double.valueOf(fields.get(name))).toList();
            assertThat(times).isSorted().first().satisfies(fastest -> assertThat(fastest).isPositive());
        } else {
            assertThat(fields).containsEntry("p50_ns", "null");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"PUT", "GET", "FADD", "SWAP", "CSWAP"})
    void isMeasuredOnServedMemory(PerfTest test) {
        Map<String, String> fields = client("shm", "peer", "--test", test.toString(), "--served").fields();

        assertThat(fields).containsEntry("served", "true");
        assertThat(Long.parseLong(fields.get("operations"))).isPositive();
    }

    @ParameterizedTest
    @EnumSource(names = {"MESSAGE", "DUPLEX", "REQUEST"})
    void isMeasuredWithPayloadsThatAreWritten(PerfTest test) {
        Map<String, String> fields = client("shm", "peer", "--test", test.toString(), "--mode", "bandwidth", "--size",
                "65536", "--fresh", "--buffers", "4").fields();

        assertThat(fields).containsEntry("fresh", "true");
        assertThat(Long.parseLong(fields.get("operations"))).isPositive();
    }

    /** Above the rendezvous threshold, so that messages are fetched. */
    @ParameterizedTest
    @EnumSource(names = {"AM", "TAG", "STREAM", "MESSAGE", "DUPLEX", "REQUEST", "PUT", "GET"})
    void isMeasuredWithLargePayloads(PerfTest test) {
        for (String mode : test == PerfTest.DUPLEX ? List.of("bandwidth") : List.of("latency", "bandwidth")) {
            Map<String, String> fields = client("shm", "peer", "--test", test.toString(), "--mode", mode, "--size",
                    "1000000").fields();

            assertThat(Long.parseLong(fields.get("operations"))).as(mode).isPositive();
        }
    }

    @ParameterizedTest
    @CsvSource({"am, tcp", "tag, shm", "message, shm", "request, tcp", "stream, shm"})
    void beginsAsManyAsTheRateHas(String test, String transport) {
        Map<String, String> fields = client(transport, "peer", "--test", test, "--rate", "400", "--seconds", "0.25")
                .fields();

        assertThat(fields).containsEntry("rate_reached", "true").containsEntry("operations", "100");
    }

    @Test
    void spreadsOverConnections() {
        Map<String, String> fields = client("shm", "peer", "--test", "tag", "--connections", "3", "--window", "2")
                .fields();

        assertThat(fields).containsEntry("connections", "3").containsEntry("window", "2");
    }

    @Test
    void printsAHeadAndALineAsCsv() {
        Ended ended = client("shm", "peer", "--test", "am", "--format", "csv");

        List<String> lines = ended.out().lines().toList();
        assertThat(lines).hasSize(2);
        assertThat(lines.get(0).split(",", -1)).hasSameSizeAs(lines.get(1).split(",", -1))
                .startsWith("who", "test", "mode");
    }

    @Test
    void printsTextForPeople() {
        Ended ended = client("shm", "peer", "--test", "get", "--format", "text");

        assertThat(ended.out()).startsWith("get latency of 8 bytes over ").contains("whole operation [us]: p50 ");
    }

    @ParameterizedTest
    @CsvSource({"--size 16 --test fadd, --size 16: atomic operations have words of 4 or 8 bytes",
        "--served --test am, '--served: only for put, get, fadd, swap and cswap, not for am'",
        "--rate 5 --mode rate --test am, '--rate 5.0: must be more than 0 and at most 1e9, and with --mode"
            + " latency'", "--size 0 --test am, --size 0: must be in 1..67108864",
        "--connections 0 --test am, --connections 0: must be in 1..10000",
        "--engines 0 --test am, --engines 0: must be in 1..256",
        "--test atomics, '--test atomics: must be one of am, tag, stream, message, duplex, request, put, get,"
            + " fadd, swap, cswap'",
        "--fresh --test am, '--fresh: only for [message, duplex, request] with --mode bandwidth'",
        "--test duplex, --test duplex: --mode latency: must be bandwidth or rate"})
    void saysInALineWhatCannotBeDone(String options, String reason) {
        Ended ended = client("shm", "peer", options.split(" "));

        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.err().strip().toLowerCase(Locale.ROOT)).isEqualTo("perf client: "
                + reason.toLowerCase(Locale.ROOT));
        assertThat(ended.out()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"FADD", "SWAP", "CSWAP"})
    void saysWhereUcxHasNoAtomicOperations(PerfTest test) {
        assumeTrue(Ucx.version().isAtLeast(1, 16), "UCX " + Ucx.version()
                + " has atomic operations in every error mode");

        Ended ended = client("shm", "peer", "--test", test.toString());

        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.err().lines()).hasSize(1).first().asString().contains("error-mode none");
    }
}
