package io.reactorucx.benchmarks.perf;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import reactor.core.Exceptions;

/** What single operations cost between two processes. */
@Command(name = "perf", mixinStandardHelpOptions = true, subcommands = {ServerCommand.class, ClientCommand.class}, description = {
    "Measures an operation between two processes, in the manner of ucx_perftest:",
    "'perf server' on one side, 'perf client --connect HOST:PORT --test am' on the other."})
public final class PerfCommand implements Callable<Integer> {

    /** The arguments are understood, and cannot be done. */
    static final int EXIT_LIMIT = 2;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    /** For picocli. */
    public PerfCommand() {
    }

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        spec.commandLine().usage(out);
        spec.commandLine().getSubcommands().values().forEach(command -> {
            out.println();
            command.usage(out);
        });
        return 0;
    }

    /** Something that is run for its effect. */
    @FunctionalInterface
    interface Body {

        void run() throws Exception;
    }

    /** Runs it, and says in one line why it could not be done. */
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
