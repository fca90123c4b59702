package io.reactorucx.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.Ucx;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A short {@code ./run netty}: both transports work, and the bytes go over UCX in the second. */
class NettyTest {

    @TempDir
    private Path directory;

    @Test
    void measuresTheSameProgramOverBoth() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");

        DemoProcess.Ended ended = DemoProcess.run(directory, "netty", "--seconds", "0.2");

        assertThat(ended.exitCode()).as(ended::text).isZero();
        assertThat(ended.err()).as(ended::text).isEmpty();
        assertThat(ended.out().getFirst().strip().split(" +")).containsExactly("EpollSocketChannel",
                "UcxSocketChannel");
        assertThat(ended.linesOfOut("echo of 8 bytes, p")).as(ended::text).hasSize(2);
        assertThat(ended.linesOfOut("HTTP GET, p")).as(ended::text).hasSize(2);
        assertThat(ended.linesOfOut("bytes sent, received over UCX")).as(ended::text).singleElement().asString()
                .matches("bytes sent, received over UCX +- +[0-9.]+ [kMG]B, [0-9.]+ [kMG]B");
        assertThat(ended.out().getLast()).as(ended::text).isEqualTo("netty: OK");
    }

    @Test
    void refusesADurationOutOfRange() {
        DemoProcess.Ended ended = DemoProcess.run(directory, "netty", "--seconds", "0");

        assertThat(ended.exitCode()).as(ended::text).isEqualTo(2);
        assertThat(ended.err()).as(ended::text).anyMatch(line -> line.contains("--seconds 0.0: must be above 0"));
    }
}
