package io.reactorucx.examples;

import io.reactorucx.examples.soak.SoakCommand;
import io.reactorucx.examples.soak.SoakServer;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Entry of all programs here. */
@Command(name = "reactor-ucx", description = "Programs that show Reactor UCX.", mixinStandardHelpOptions = true,
        subcommands = {DemoCommand.class, DemoServer.class, InfoCommand.class, SoakCommand.class, SoakServer.class})
public final class Main {

    private Main() {
    }

    /**
     * Runs a program and exits with its code: 0 for success, 1 for a failure, 2 for wrong arguments.
     *
     * @param args name of the program and its arguments
     */
    public static void main(String[] args) {
        CommandLine commands = new CommandLine(new Main());
        commands.setExecutionExceptionHandler((error, command, parsed) -> {
            command.getErr().println(command.getCommandName() + ": FAILED: " + Failures.inOneLine(error));
            return 1;
        });
        System.exit(commands.execute(args));
    }
}
