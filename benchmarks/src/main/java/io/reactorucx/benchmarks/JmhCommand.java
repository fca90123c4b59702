package io.reactorucx.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Unmatched;

/** Measures single steps on the way of a message with JMH, which gets all arguments. */
@Command(name = "jmh", customSynopsis = "./run jmh [JMH arguments]", description = {
    "Measures single steps on the way of a message with JMH: calls of C, the queue, core, engine, Mono, credits."
        + " JMH reads all arguments but --help.",
    "",
    "      -h       List JMH's arguments.",
    "      -l       List the benchmarks.",
    "      NAME     Run the benchmarks whose names match, such as ReactiveBenchmark."})
public final class JmhCommand implements Callable<Integer> {

    @Option(names = "--help", usageHelp = true, description = "Print this text.")
    private boolean help;
    @Unmatched
    private List<String> arguments = new ArrayList<>();

    @Override
    public Integer call() throws IOException {
        org.openjdk.jmh.Main.main(arguments.toArray(String[]::new));
        return 0;
    }
}
