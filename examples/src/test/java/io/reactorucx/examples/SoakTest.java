package io.reactorucx.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.Ucx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A short soak: no message lost or duplicated, no leak. The long form is {@code ./run soak}. */
class SoakTest {

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void losesNothing(boolean tcp) {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        List<String> arguments = new ArrayList<>(List.of("soak", "--minutes", "0.1", "--connections", "2"));
        if (tcp) {
            arguments.add("--tcp");
        }

        DemoProcess.Ended ended = DemoProcess.run(directory, arguments.toArray(String[]::new));

        assertThat(ended.exitCode()).as(ended::text).isZero();
        assertThat(ended.out().getLast()).as(ended::text).isEqualTo("soak: OK");
    }

    @ParameterizedTest
    @CsvSource({"http, false", "connects, true", "kills, false"})
    void channelsOfNettyLoseNothing(String kind, boolean tcp) {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        List<String> arguments = new ArrayList<>(List.of("soak", "--netty", kind, "--minutes", "0.05", "--connections",
                "2", "--rate", "200"));
        if (tcp) {
            arguments.add("--tcp");
        }

        DemoProcess.Ended ended = DemoProcess.run(directory, arguments.toArray(String[]::new));

        assertThat(ended.exitCode()).as(ended::text).isZero();
        assertThat(ended.out().getLast()).as(ended::text).isEqualTo("soak: OK");
    }

    @Test
    void findsALostBuffer() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");

        DemoProcess.Ended ended = DemoProcess.run(directory, "soak", "--netty", "connects", "--minutes", "0.02",
                "--rate", "100", "--leak", "MALLOC");

        assertThat(ended.exitCode()).as(ended::text).isEqualTo(1);
        assertThat(ended.out()).as(ended::text).anyMatch(line -> line.matches(" *unexpected errors +0 +1"));
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
