package io.reactorucx.benchmarks.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.testsupport.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Processes that are stopped, and what becomes of them. */
@Tag("slow")
@Timeout(600)
class ChildProcessTest {

    private static final String COUNT = "i=0; while :; do i=$((i+1)); echo $i; done";

    /** The letter of the state of a process, T for a stopped one, X for one that has gone. */
    private static char state(long pid) throws IOException {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            char state = stat.charAt(stat.lastIndexOf(')') + 2);
            return state == 'Z' ? 'X' : state;
        } catch (NoSuchFileException e) {
            return 'X';
        } catch (IOException e) {
            // The process ended between opening and reading.
            return String.valueOf(e.getMessage()).contains("No such process") ? 'X' : '?';
        }
    }

    private static void awaitState(long pid, char wanted) throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (state(pid) != wanted && System.nanoTime() - end < 0) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
        assertThat(state(pid)).isEqualTo(wanted);
    }

    @Test
    void runsOnlyWhileItIsNotStopped() throws IOException, InterruptedException {
        try (ChildProcess child = new ChildProcess(List.of("sh", "-c", COUNT), Map.of(), "1")) {
            assertThat(child.awaitLines(lines -> lines.size() > 10, 20)).isTrue();
            child.stop();
            awaitState(child.pid(), 'T');
            long used = child.cpuNanos();
            assertThat(child.isAlive()).isTrue();
            assertThat(child.awaitLines(lines -> child.cpuNanos() != used, 0.1)).isFalse();
            child.resume();
            assertThat(child.awaitLines(lines -> child.cpuNanos() != used, 20)).isTrue();
            child.kill();
            awaitState(child.pid(), 'X');
        }
    }

    @Test
    void aStoppedProcessEndsWithItsInput() throws IOException, InterruptedException {
        ChildProcess child = new ChildProcess(List.of("cat"), Map.of(), "never");
        child.stop();
        awaitState(child.pid(), 'T');
        child.close();

        assertThat(state(child.pid())).isEqualTo('X');
    }

    /**
     * By these signals: the first lets this JVM run its shutdown hooks, the second does not. SIGINT is the same to a
     * JVM as the first, but is ignored where a shell has started the tests in the background.
     */
    @ParameterizedTest
    @ValueSource(strings = {"TERM", "KILL"})
    void noStoppedProcessOutlivesUs(String signal) throws IOException, InterruptedException {
        assumeTrue(!signal.equals("KILL") || Files.isExecutable(Path.of("/usr/bin/setpriv")), "no setpriv");
        try (ChildJvm us = ChildJvm.of(StoppedProcesses.class).start()) {
            long pid = Long.parseLong(us.awaitLine(StoppedProcesses.STOPPED)
                    .substring(StoppedProcesses.STOPPED.length()));
            awaitState(pid, 'T');
            us.signal(signal);
            awaitState(pid, 'X');
        }
    }

    @Test
    void saysWhyItIsNotReady() throws IOException {
        try (ChildProcess child = new ChildProcess(List.of("sh", "-c", "echo broken >&2; exit 1"), Map.of(), "READY")) {
            assertThatThrownBy(() -> child.awaitReady(20)).isInstanceOf(MeasurementFailure.class)
                    .hasMessage("it ended before it was ready: broken");
        }
    }
}
