package io.reactorucx.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.Ucx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A short soak: no message lost or duplicated, no leak. The long form is {@code ./run soak}. */
@Tag("slow")
class SoakTest {

    @TempDir
    private Path directory;

    /** At once, because most of the time they wait until their memory has settled. */
    @Test
    void losesNothing() throws IOException {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");

        try (DemoProcess chosen = startMixed("chosen"); DemoProcess tcp = startMixed("tcp", "--tcp")) {
            for (DemoProcess.Ended each : List.of(chosen.ended(), tcp.ended())) {
                assertOk(each);
                assertThat(each.out()).as(each::text).contains("meters: equal to what was counted, in both processes",
                        "meters of the mix: between what was delivered and what was begun, in both processes");
            }
        }
    }

    @Test
    void findsOperationsThatTheMetersCountAndTheSoakDoesNot() throws IOException {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");

        try (DemoProcess soak = DemoProcess.start(directory, "soak", "--minutes", "0.01", "--connections", "1",
                "--uncounted")) {
            DemoProcess.Ended ended = soak.ended();
            assertThat(ended.exitCode()).as(ended::text).isEqualTo(1);
            assertThat(ended.out()).as(ended::text).contains("meters: they differ from what was counted:");
            for (String sum : List.of("sent.messages active_messages", "sent.bytes messages", "sent.messages requests",
                    "sent.messages tags", "sent.bytes streams", "memory.accesses put", "memory.accessed get",
                    "memory.accesses atomic", "requests.ended success")) {
                assertThat(ended.out()).as(ended::text).anyMatch(line -> line.matches(" *this process: reactor\\.ucx\\."
                        + sum + ": .*"));
            }
            for (String sum : List.of("received.bytes active_messages", "received.messages messages",
                    "received.bytes streams", "memory.served.bytes put", "memory.served.requests atomic")) {
                assertThat(ended.out()).as(ended::text).anyMatch(line -> line.matches(" *the server: reactor\\.ucx\\."
                        + sum + ": .*"));
            }
        }
    }

    private DemoProcess startMixed(String folder, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("soak", "--minutes", "0.1", "--connections", "2"));
        arguments.addAll(List.of(more));
        return DemoProcess.start(Files.createDirectory(directory.resolve(folder)), arguments.toArray(String[]::new));
    }

    /** At once, because most of the time they wait until their memory has settled. */
    @Test
    void channelsOfNettyLoseNothing() throws IOException {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");

        try (DemoProcess http = startNetty("http", "http"); DemoProcess connects = startNetty("connects", "connects",
                "--tcp"); DemoProcess leaking = startNetty("leaking", "connects", "--leak", "MALLOC")) {
            assertOk(http.ended());
            assertOk(connects.ended());
            DemoProcess.Ended found = leaking.ended();
            assertThat(found.exitCode()).as(found::text).isEqualTo(1);
            assertThat(found.out()).as(found::text).anyMatch(line -> line.matches(" *unexpected errors +0 +1"));
        }
    }

    @Test
    void channelsOfNettyEndWithTheirPeers() throws IOException {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");

        try (DemoProcess kills = startNetty("kills", "kills")) {
            assertOk(kills.ended());
        }
    }

    /**
     * More than the engines may have in flight, in both directions: every request is answered, nobody is lost. With
     * UCX's own choice of transports and over tcp at once.
     */
    @ParameterizedTest
    @ValueSource(ints = {8, 1024, 8192})
    void bothSidesAnswerWhateverTheyHaveInFlight(int maxInFlight) throws IOException {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");

        try (DemoProcess chosen = startBothWays("chosen", maxInFlight);
                DemoProcess tcp = startBothWays("tcp", maxInFlight, "--tcp")) {
            for (DemoProcess.Ended each : List.of(chosen.ended(), tcp.ended())) {
                assertOk(each);
                assertThat(each.out()).as(each::text).filteredOn(line -> line.contains("connections lost")).hasSize(2)
                        .allMatch(line -> line.endsWith("; 0 connections lost"));
            }
        }
    }

    private DemoProcess startBothWays(String folder, int maxInFlight, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("soak", "--both-ways", "--connections", "40",
                "--max-in-flight", String.valueOf(maxInFlight), "--minutes", "0.05",
                // A machine that is busy must not fail the test: what stands still does so for good.
                "--max-stall", "60"));
        arguments.addAll(List.of(more));
        return DemoProcess.start(Files.createDirectory(directory.resolve(folder)), arguments.toArray(String[]::new));
    }

    private DemoProcess startNetty(String folder, String kind, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("soak", "--netty", kind, "--minutes", "0.05", "--connections",
                "2", "--rate", "200"));
        arguments.addAll(List.of(more));
        return DemoProcess.start(Files.createDirectory(directory.resolve(folder)), arguments.toArray(String[]::new));
    }

    private static void assertOk(DemoProcess.Ended ended) {
        assertThat(ended.exitCode()).as(ended::text).isZero();
        assertThat(ended.out().getLast()).as(ended::text).isEqualTo("soak: OK");
    }

    /** Both at once: what else the host does neither hides a leak nor reports one of the other's kind. */
    @Test
    void findsPlantedLeaks() throws IOException {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");

        try (DemoProcess malloc = startWithLeak("MALLOC"); DemoProcess mmap = startWithLeak("MMAP")) {
            assertFound(malloc.ended(), "malloc bytes");
            assertFound(mmap.ended(), "mapped bytes");
        }
    }

    private DemoProcess startWithLeak(String kind) throws IOException {
        return DemoProcess.start(Files.createDirectory(directory.resolve(kind)), "soak", "--minutes", "0.02",
                "--connections", "1", "--leak", kind);
    }

    private static void assertFound(DemoProcess.Ended ended, String level) {
        assertThat(ended.exitCode()).as(ended::text).isEqualTo(1);
        assertThat(ended.out()).as(ended::text).anyMatch(line -> line.contains(level) && line.endsWith("has grown"));
        assertThat(ended.err()).as(ended::text).contains("soak: FAILED: the figures above say why");
    }
}
