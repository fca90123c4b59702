package io.reactorucx.examples.boot.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** A short {@code ./run boot}: both transports work, and the bytes go over UCX in the second. */
@Tag("slow")
class BootCommandTest {

    private final CommandLine program = Main.commandLine();
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        program.setOut(new PrintWriter(out, true));
        program.setErr(new PrintWriter(err, true));
        return program.execute(arguments);
    }

    private List<List<String>> rows(String start) {
        return out.toString().lines().filter(line -> line.startsWith(start))
                .map(line -> List.of(line.split(" {2,}"))).toList();
    }

    @Test
    void measuresTheSameApplicationOverBoth() {
        int code = run("boot", "--seconds", "0.2");

        assertThat(err.toString()).isEmpty();
        assertThat(code).isZero();
        for (String side : List.of("client", "server")) {
            assertThat(rows("channels of the " + side)).containsExactly(
                    List.of("channels of the " + side, "EpollSocketChannel", "UcxSocketChannel"));
        }
        for (String load : List.of("one after the other", "500 requests/s")) {
            assertThat(rows(load + ", p")).as(out::toString).hasSize(2).allSatisfy(row ->
                    assertThat(row.subList(1, 3)).allMatch(time -> time.matches("[0-9.]+ us")));
            assertThat(rows(load + ", requests")).as(out::toString).singleElement().satisfies(row ->
                    assertThat(row.subList(1, 3)).allMatch(count -> Integer.parseInt(count) > 0));
        }
        assertThat(rows("bytes sent, received over UCX")).as(out::toString).singleElement().satisfies(row ->
                assertThat(row.get(2)).matches("[0-9]+, [0-9]+"));
        assertThat(out.toString()).endsWith("boot: OK\n");
    }

    @Test
    void refusesADurationOutOfRange() {
        assertThat(run("boot", "--seconds", "0")).isEqualTo(2);
        assertThat(err.toString()).contains("--seconds 0.0: must be above 0 and at most 600")
                .contains("'./run boot --help' lists the options");
    }

    @Test
    void runHasTheHelpOfTheProgram() {
        assertThat(Path.of("..", "..", "config", "help", "boot.txt")).content()
                .isEqualTo(program.getSubcommands().get("boot").getUsageMessage(Ansi.OFF));
    }
}
