package io.reactorucx.examples.store.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** A short {@code ./run store --kill}. */
@Tag("slow")
class StoreCommandTest {

    private final CommandLine program = Main.commandLine();
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        program.setOut(new PrintWriter(out, true));
        program.setErr(new PrintWriter(err, true));
        return program.execute(arguments);
    }

    @Test
    void aKilledNodeLeavesNoRequestWithoutAnEndAndNoValueWrong() {
        int code = run("store", "--seconds", "6", "--kill");

        assertThat(err.toString()).as(out::toString).isEmpty();
        assertThat(code).isZero();
        assertThat(out.toString()).contains("killing node 0\n")
                .containsPattern("node 0: each key was served again after [0-9.]+ s, and the node had its data after ")
                .containsPattern("1 kills, recovery [0-9.]+ to [0-9.]+ s")
                .containsPattern(" 0 other errors, 0 wrong, 0 missing, 0 late\n")
                .containsPattern("store: OK, [1-9][0-9]* bytes of HTTP were sent over UCX\n");
        List<String[]> rows = out.toString().lines().filter(line -> line.matches(" +[0-9].*"))
                .map(line -> line.strip().split(" +")).toList();
        assertThat(rows).hasSizeGreaterThanOrEqualTo(6).allSatisfy(row -> assertThat(row).hasSize(10));
        assertThat(rows).anySatisfy(row -> assertThat(row[9]).isEqualTo("2"));
        assertThat(rows.getFirst()[9]).isEqualTo("3");
    }

    @Test
    void refusesNumbersOutOfRange() {
        assertThat(run("store", "--seconds", "0")).isEqualTo(2);
        assertThat(run("store", "--interval", "0")).isEqualTo(2);
        assertThat(run("store", "--nodes", "1")).isEqualTo(2);
        assertThat(err.toString()).contains("--seconds 0.0: must be above 0 and at most 86400")
                .contains("--interval 0.0: must be above 0").contains("--nodes 1: must be in 2..16")
                .contains("'./run store --help' lists the options");
    }

    @Test
    void runHasTheHelpOfTheProgram() {
        assertThat(Path.of("..", "..", "config", "help", "store.txt")).content()
                .isEqualTo(program.getSubcommands().get("store").getUsageMessage(Ansi.OFF));
    }
}
