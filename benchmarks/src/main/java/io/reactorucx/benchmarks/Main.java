package io.reactorucx.benchmarks;

import io.reactorucx.benchmarks.layers.IdleCommand;
import io.reactorucx.benchmarks.layers.LayersCommand;
import io.reactorucx.benchmarks.peers.PeerCommand;
import io.reactorucx.benchmarks.perf.PerfCommand;
import io.reactorucx.benchmarks.report.ChartsCommand;
import io.reactorucx.benchmarks.rig.BenchCommand;
import io.reactorucx.benchmarks.startup.StartupCommand;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Entry of all programs here. Their help texts are in {@code config/help}, too, for {@code ./run}. */
@Command(name = "./run", description = "Measurements of Reactor UCX.", subcommands = {
    BenchCommand.class, ChartsCommand.class, IdleCommand.class, JmhCommand.class, LayersCommand.class,
    PeerCommand.class, PerfCommand.class, StartupCommand.class})
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
        CommandLine commands = new CommandLine(new Main());
        commands.setExecutionExceptionHandler((error, command, parsed) -> {
            command.getErr().println(command.getCommandName() + ": FAILED: "
                    + (error.getMessage() == null ? error.toString() : error.getMessage()));
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
