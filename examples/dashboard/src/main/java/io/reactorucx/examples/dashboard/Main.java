package io.reactorucx.examples.dashboard;

import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.web.server.PortInUseException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

/** Entry of the program. Its help text is in {@code config/help}, too, for {@code ./run}. */
@Command(name = "./run", description = "Programs that show Reactor UCX.", subcommands = DashboardCommand.class)
final class Main {

    private static final int MAX_CAUSES = 20;

    private Main() {
    }

    /** Runs the program and exits with its code: 0 for success, 1 for a failure, 2 for wrong arguments. */
    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        CommandLine commands = new CommandLine(new Main());
        commands.setExecutionExceptionHandler((error, command, parsed) -> {
            command.getErr().println(command.getCommandName() + ": FAILED: " + reason(error));
            return 1;
        });
        commands.setParameterExceptionHandler((error, arguments) -> refuse(error));
        return commands;
    }

    private static String reason(Throwable error) {
        @Nullable Throwable cause = error;
        for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
            if (cause instanceof DashboardFailure) {
                return String.valueOf(cause.getMessage());
            }
            if (cause instanceof PortInUseException taken) {
                return "port " + taken.getPort() + " is in use; choose another one with --port";
            }
            cause = cause.getCause();
        }
        return error.toString();
    }

    private static int refuse(ParameterException error) {
        CommandLine command = error.getCommandLine();
        PrintWriter errors = command.getErr();
        errors.println(command.getCommandName() + ": " + error.getMessage());
        errors.println("'" + command.getCommandSpec().qualifiedName() + " --help' lists the options");
        return command.getCommandSpec().exitCodeOnInvalidInput();
    }
}
