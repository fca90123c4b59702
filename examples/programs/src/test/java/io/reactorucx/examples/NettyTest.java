package io.reactorucx.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.Ucx;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A short {@code ./run netty}: each protocol works over both transports, and the bytes go over UCX in one of them. */
@Tag("slow")
class NettyTest {

    private static final String[] SHORT = {"--seconds", "0.1", "--warmup-seconds", "0.1", "--turns", "1"};

    @TempDir
    private Path directory;

    private DemoProcess.Ended run(String... more) {
        String[] arguments = new String[1 + SHORT.length + more.length];
        arguments[0] = "netty";
        System.arraycopy(SHORT, 0, arguments, 1, SHORT.length);
        System.arraycopy(more, 0, arguments, 1 + SHORT.length, more.length);
        return DemoProcess.run(directory, arguments);
    }

    @Test
    void measuresTheSameProgramsOverBoth() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");

        DemoProcess.Ended ended = run();

        assertThat(ended.exitCode()).as(ended::text).isZero();
        assertThat(ended.err()).as(ended::text).isEmpty();
        for (String name : new String[] {"echo", "http", "rsocket", "grpc", "echo-rate", "http-rate"}) {
            assertHasTimes(ended, name);
        }
        for (String name : new String[] {"echo-64K", "echo-1M"}) {
            assertThat(line(ended, name, "each way")).matches("( +[0-9.]+ [kMG]B/s){2}  [0-9.]+x .*");
            assertBytesWentOverUcx(ended, name);
        }
        assertThat(ended.out().getLast()).as(ended::text).isEqualTo("netty: OK");
    }

    private static void assertHasTimes(DemoProcess.Ended ended, String name) {
        assertThat(line(ended, name, "")).isEqualToIgnoringWhitespace("EpollSocketChannel UcxSocketChannel ratio");
        assertThat(line(ended, name, "p50")).matches("( +[0-9.]+ [num]?s){2}  [0-9.]+x .*");
        assertThat(line(ended, name, "p99")).matches("( +[0-9.]+ [num]?s){2}  [0-9.]+x .*");
        assertThat(line(ended, name, "calls")).matches("( +[0-9.]+ [kM]?/s){2}  [0-9.]+x .*");
        assertBytesWentOverUcx(ended, name);
    }

    private static void assertBytesWentOverUcx(DemoProcess.Ended ended, String name) {
        assertThat(line(ended, name, "bytes over UCX")).matches(" +none +[0-9.]+ [kMG]?B, [0-9.]+ [kMG]?B");
    }

    /** Returns the columns of a case's only line with that figure. */
    private static String line(DemoProcess.Ended ended, String name, String figure) {
        String start = String.format("%-10s %-15s ", name, figure);
        assertThat(ended.linesOfOut(start)).as(() -> start + ended.text()).hasSize(1);
        return ended.linesOfOut(start).getFirst().substring(start.length());
    }

    @ParameterizedTest
    @CsvSource({"--transports, tcp", "--spin, 1000"})
    void takesOptionsOfTheLoops(String option, String value) {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");

        DemoProcess.Ended ended = run("--case", "echo", option, value);

        assertThat(ended.exitCode()).as(ended::text).isZero();
        assertHasTimes(ended, "echo");
        assertThat(ended.linesOfOut("http")).as(ended::text).isEmpty();
    }

    @Test
    void failsWithTheReasonOfTheServer() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");

        DemoProcess.Ended ended = run("--case", "echo", "--transports", "no-such-transport");

        assertThat(ended.exitCode()).as(ended::text).isEqualTo(1);
        assertThat(ended.err()).as(ended::text).anyMatch(line -> line.startsWith("netty: FAILED: ")
                && line.contains("no-such-transport"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--seconds=0: must be above 0", "--seconds=700: at most 600", "--turns=0: must be at least",
        "--warmup-seconds=0: must be above 0", "--rate=0: must be at least 1", "--connections=1001: at most 1000",
        "--spin=1000001: spin PT1.000001S: must be in PT0S..PT1S", "--case=nothing: must be one of echo, echo-64K"})
    void refusesWhatCannotWork(String both) {
        int colon = both.indexOf(": ");

        DemoProcess.Ended ended = DemoProcess.run(directory, "netty", both.substring(0, colon));

        assertThat(ended.exitCode()).as(ended::text).isEqualTo(2);
        assertThat(ended.err()).as(ended::text).anyMatch(line -> line.contains(both.substring(colon + 2)));
    }
}
