package io.reactorucx.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** The help texts of the programs, which {@code ./run} prints from files without a build and checks arguments by. */
class HelpTest {

    private static final Path TEXTS = Path.of("..", "..", "config", "help");

    @ParameterizedTest
    @ValueSource(strings = {"demo", "info", "netty", "soak"})
    void runHasTheHelpOfTheProgram(String program) {
        CommandLine command = Main.commandLine().getSubcommands().get(program);

        assertThat(TEXTS.resolve(program + ".txt")).content().isEqualTo(command.getUsageMessage(Ansi.OFF));
    }
}
