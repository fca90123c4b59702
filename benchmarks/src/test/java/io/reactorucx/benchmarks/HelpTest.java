package io.reactorucx.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** The help texts of the programs, which {@code ./run} prints from files without a build and checks arguments by. */
class HelpTest {

    private static final Path TEXTS = Path.of("..", "config", "help");

    private static String usage(String program) {
        CommandLine command = Main.commandLine();
        for (String name : program.split(" ")) {
            command = command.getSubcommands().get(name);
        }
        return command.getUsageMessage(Ansi.OFF);
    }

    @ParameterizedTest
    @ValueSource(strings = {"bench", "charts", "jmh", "perf server", "perf client", "startup"})
    void runHasTheHelpOfTheProgram(String program) {
        assertThat(TEXTS.resolve(program.replace(' ', '-') + ".txt")).content().isEqualTo(usage(program));
    }

    @Test
    void runExplainsBothPartsOfPerf() {
        assertThat(TEXTS.resolve("perf.txt")).content()
                .isEqualTo(String.join("\n", List.of(usage("perf"), usage("perf server"), usage("perf client"))));
    }
}
