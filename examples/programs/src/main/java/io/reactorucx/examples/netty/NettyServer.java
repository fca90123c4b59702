package io.reactorucx.examples.netty;

import io.reactorucx.examples.ServerProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * The server process of {@link NettyCommand}. Each line of its standard input is a turn: the transport and the case.
 * An empty line ends the turn, and the end of the input ends the process.
 */
@Command(name = "netty-server", hidden = true, description = "The server process of netty.")
public final class NettyServer implements Callable<Integer> {

    /** The first word of a turn over UCX. */
    static final String UCX = "ucx";
    /** The first word of a turn over the kernel's TCP. */
    static final String KERNEL = "kernel";

    @Mixin
    private UcxOptions options = new UcxOptions();

    @Override
    public Integer call() throws IOException {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            ServerProcess.ready("");
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                turn(line.split(" "), lines);
            }
            return 0;
        } catch (RuntimeException e) {
            ServerProcess.failed(e);
            return 1;
        }
    }

    private void turn(String[] words, BufferedReader lines) throws IOException {
        List<Workload> all = Workload.all(1, 1);
        try (Loops loops = Loops.create(words[0].equals(UCX), options.config());
                Service service = Workload.named(all, words[1]).protocol().serve(loops.resources())) {
            ServerProcess.ready(Integer.toString(service.port()));
            lines.readLine();
        }
        ServerProcess.ready("");
    }
}
