package io.reactorucx.examples;

import io.reactorucx.examples.netty.NettyCommand;
import io.reactorucx.examples.netty.NettyServer;
import io.reactorucx.examples.soak.SoakCommand;
import io.reactorucx.examples.soak.SoakServer;
import io.reactorucx.examples.soak.load.BothWaysServer;
import io.reactorucx.examples.soak.netty.NettySoakServer;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Entry of all programs here. Their help texts are in {@code config/help}, too, for {@code ./run}. */
@Command(name = "./run", description = "Programs that show Reactor UCX.", subcommands = {
    DemoCommand.class, DemoServer.class, InfoCommand.class, NettyCommand.class, NettyServer.class, SoakCommand.class,
    SoakServer.class, NettySoakServer.class, BothWaysServer.class})
public final class Main {

    @Mixin
    private HelpOption help = new HelpOption();

    private Main() {
    }

    /**
     * Runs a program and exits with its code: 0 for success, 1 for a failure, 2 for wrong arguments.
     *
     * @param args name of the program and its arguments
     */
    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine() {
        CommandLine commands = new CommandLine(new Main()).setCaseInsensitiveEnumValuesAllowed(true);
        commands.setExecutionExceptionHandler((error, command, parsed) -> {
            command.getErr().println(command.getCommandName() + ": FAILED: " + Failures.inOneLine(error));
            return 1;
        });
        commands.setParameterExceptionHandler((error, args) -> refuse(error));
        return commands;
    }

    private static int refuse(ParameterException error) {
        CommandLine command = error.getCommandLine();
        PrintWriter errors = command.getErr();
        errors.println(command.getCommandName() + ": " + error.getMessage());
        if (!UnmatchedArgumentException.printSuggestions(error, errors)) {
            errors.println("'" + command.getCommandSpec().qualifiedName() + " --help' lists the options");
        }
        return command.getCommandSpec().exitCodeOnInvalidInput();
    }
}
