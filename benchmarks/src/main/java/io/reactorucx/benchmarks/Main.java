package io.reactorucx.benchmarks;

import io.reactorucx.benchmarks.layers.LayersCommand;
import io.reactorucx.benchmarks.peers.PeerCommand;
import io.reactorucx.benchmarks.perf.PerfCommand;
import io.reactorucx.benchmarks.report.ChartsCommand;
import io.reactorucx.benchmarks.rig.BenchCommand;
import io.reactorucx.benchmarks.rig.IdleCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Entry of all programs here. */
@Command(name = "reactor-ucx-benchmarks", description = "What Reactor UCX costs.", mixinStandardHelpOptions = true,
        subcommands = {BenchCommand.class, ChartsCommand.class, IdleCommand.class, JmhCommand.class, LayersCommand.class, PeerCommand.class,
            PerfCommand.class})
public final class Main {

    private Main() {
    }

    /**
     * Runs a program and exits with its code: 0 for success, 1 for a failure, 2 for wrong arguments.
     *
     * @param args name of the program and its arguments
     */
    public static void main(String[] args) {
        System.exit(new CommandLine(new Main()).execute(args));
    }
}
