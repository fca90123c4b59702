package io.reactorucx.examples.store.load;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;
import reactor.core.Exceptions;

/** Entry of the program. Its help text is in {@code config/help}, too, for {@code ./run}. */
@Command(name = "./run", description = "Programs that show Reactor UCX.", subcommands = StoreCommand.class)
final class Main {

    private Main() {
    }

    /** Runs the program and exits with its code: 0 for success, 1 for a failure, 2 for wrong arguments. */
    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        CommandLine commands = new CommandLine(new Main());
        commands.setExecutionExceptionHandler((error, command, parsed) -> {
            Throwable cause = Exceptions.unwrap(error);
            command.getErr().println(command.getCommandName() + ": FAILED: "
                    + (cause instanceof LoadFailure ? cause.getMessage() : cause.toString()));
            return 1;
        });
        commands.setParameterExceptionHandler((error, arguments) -> refuse(error));
        return commands;
    }

    private static int refuse(ParameterException error) {
        CommandLine command = error.getCommandLine();
        PrintWriter errors = command.getErr();
        errors.println(command.getCommandName() + ": " + error.getMessage());
        errors.println("'" + command.getCommandSpec().qualifiedName() + " --help' lists the options");
        return command.getCommandSpec().exitCodeOnInvalidInput();
    }
}
