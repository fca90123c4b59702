package io.reactorucx.benchmarks.perf;

import io.reactorucx.benchmarks.HelpOption;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import reactor.core.Exceptions;

/** Measures what single operations cost between two processes. */
@Command(name = "perf", subcommands = {ServerCommand.class, ClientCommand.class},
        description = "Measures an operation between two processes, as ucx_perftest does: './run perf server' on one"
        + " side, './run perf client --connect HOST:PORT --test am' on the other.")
public final class PerfCommand implements Callable<Integer> {

    /** The exit code for arguments that are well-formed and cannot be used together, or are out of range. */
    static final int EXIT_LIMIT = 2;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;
    @Mixin
    private HelpOption help = new HelpOption();

    /** For picocli. */
    public PerfCommand() {
    }

    @Override
    public Integer call() {
        explain(spec.commandLine().getOut());
        return 0;
    }

    /** Prints the help texts of this program, of the server and of the client. */
    void explain(PrintWriter out) {
        spec.commandLine().usage(out);
        spec.commandLine().getSubcommands().values().forEach(command -> {
            out.println();
            command.usage(out);
        });
    }

    /** A program whose failures become one line and an exit code. */
    @FunctionalInterface
    interface Body {

        void run() throws Exception;
    }

    /** Runs a program; prints a failure as one line and returns the exit code. */
    static int run(CommandSpec command, Body body) {
        PrintWriter errors = command.commandLine().getErr();
        try {
            body.run();
            return 0;
        } catch (PerfLimit e) {
            errors.println("perf " + command.name() + ": " + e.getMessage());
            return EXIT_LIMIT;
        } catch (Exception e) {
            errors.println("perf " + command.name() + ": FAILED: " + inOneLine(e));
            return 1;
        }
    }

    static String inOneLine(Throwable error) {
        Throwable cause = Exceptions.unwrap(error);
        String message = cause.getMessage();
        return (message == null ? cause.toString() : message).lines().findFirst().orElse(cause.toString());
    }
}
