package io.reactorucx.examples.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.testsupport.TestTime;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** The program in a process of its own, as {@code ./run} starts it, and when it has said what. */
final class DashboardProcess implements AutoCloseable {

    static final Duration LIMIT = TestTime.seconds(60);
    private static final Duration POLL = Duration.ofMillis(20);

    private final Process process;
    private final List<Line> lines = new CopyOnWriteArrayList<>();

    /**
     * What the program has said.
     *
     * @param text of the line
     * @param nanos when it came, as {@link System#nanoTime()}
     */
    record Line(String text, long nanos) {
    }

    private DashboardProcess(Process process) {
        this.process = process;
        Thread.ofPlatform().daemon().name("output of the dashboard").start(this::read);
    }

    static DashboardProcess start(String... arguments) {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java")
                .toString(), "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow", "-Xmx256m",
                "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
                Main.class.getName(), "dashboard"));
        command.addAll(List.of(arguments));
        try {
            return new DashboardProcess(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read() {
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                lines.add(new Line(line, System.nanoTime()));
                System.out.println(line);
            }
        } catch (IOException e) {
            // The program has been ended, and its output with it.
        }
    }

    private Optional<Line> line(String start) {
        return lines.stream().filter(line -> line.text().startsWith(start)).findFirst();
    }

    /** Waits for a line with this start. */
    Line awaitLine(String start) {
        await().atMost(LIMIT).pollInterval(POLL).until(() -> line(start).isPresent() || !process.isAlive());
        return line(start).orElseThrow(() -> new AssertionError("no line begins with '" + start + "': " + lines));
    }

    /** Waits for the rest of a line with this start. */
    String said(String start) {
        return awaitLine(start).text().substring(start.length());
    }

    /** {@return the process of the peer, which is the only child} */
    ProcessHandle peer() {
        List<ProcessHandle> children = process.children().toList();
        assertThat(children).hasSize(1);
        return children.getFirst();
    }

    List<ProcessHandle> descendants() {
        return process.descendants().toList();
    }

    void kill() {
        process.destroyForcibly();
    }

    int awaitExit() throws InterruptedException {
        assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).as("the program ended").isTrue();
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroy();
        await().atMost(LIMIT).pollInterval(POLL).until(() -> !process.isAlive());
    }
}
