package io.reactorucx.benchmarks.rig;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class BenchCommandTest {

    @TempDir
    private Path folder;
    private final StringWriter errors = new StringWriter();

    private int run(String... arguments) {
        return new CommandLine(new BenchCommand()).setErr(new PrintWriter(errors))
                .setExecutionExceptionHandler((error, command, parsed) -> {
                    command.getErr().print(error.getMessage());
                    return 1;
                }).execute(arguments);
    }

    private String printed(String... arguments) {
        PrintStream before = System.out;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            assertThat(run(arguments)).as(errors::toString).isZero();
        } finally {
            System.setOut(before);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** So little time that nothing is measured. */
    private String published(String name) {
        return printed("--minutes", "0.0001", "--case", "am-latency-shm-", "--publish", "--cpus", "0-3:4,6",
                "--out", folder.resolve(name).resolve("bench.json").toString());
    }

    @Test
    void saysForEachRowHowManyProcessorsEachSideHad() {
        assertThat(published("here").lines()).anySatisfy(line -> assertThat(line).startsWith("am-latency-shm-none ")
                .contains(" 4+2 ").endsWith("not measured, no time was left"));
    }

    @Test
    void publishesTheMachineAndTheRows() throws IOException {
        published("here");

        assertThat(folder.resolve("here/bench.json")).content().contains("\"measurements\"");
        assertThat(folder.resolve("here/publish.json")).content().doesNotContain("\"measurements\"")
                .contains("\"commit\"", "\"processor\"", "\"processors\": " + Runtime.getRuntime()
                        .availableProcessors(), "\"processors\": \"4+2\"", "\"java\"", "\"ucx\"", "\"system\"");
    }

    @Test
    void printsWhatWasPublishedBesideAnotherFile() {
        published("here");
        published("there");

        assertThat(printed("--out", folder.resolve("here/bench.json").toString(), "--compare",
                folder.resolve("there/publish.json").toString()).lines())
                .anySatisfy(line -> assertThat(line).startsWith("here:  Measured on "))
                .anySatisfy(line -> assertThat(line).startsWith("there: Measured on "))
                .anySatisfy(line -> assertThat(line).startsWith("am-latency-shm-peer "));
    }

    @Test
    void refusesToCompareWithOtherFiles() throws IOException {
        Path other = Files.writeString(folder.resolve("other"), "{\"rows\": 1}");
        published("here");

        for (Path file : new Path[] {other, Files.writeString(folder.resolve("text"), "no JSON"),
            folder.resolve("none")}) {
            assertThat(run("--out", folder.resolve("here/bench.json").toString(), "--compare", file.toString()))
                    .isEqualTo(1);
            assertThat(errors.toString()).contains(file.toString());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--minutes=0", "--pack=a.tar.gz", "--cpus=0", "--pairs=0", "--case=none-such"})
    void refusesOtherArguments(String argument) {
        assertThat(run(argument)).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(errors.toString()).contains(argument.substring(0, argument.indexOf('=')));
    }
}
