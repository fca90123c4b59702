package io.reactorucx.benchmarks.perf;

import io.reactorucx.benchmarks.Main;
import io.reactorucx.testsupport.ChildJvm;
import java.util.ArrayList;
import java.util.List;

/** A server of perf in a process of its own. */
final class ServerProcess implements AutoCloseable {

    private final ChildJvm child;
    private final int port;

    private ServerProcess(ChildJvm child) {
        this.child = child;
        this.port = Integer.parseInt(child.awaitLine(ServerCommand.READY).substring(ServerCommand.READY.length()));
    }

    static ServerProcess start(String... options) {
        List<String> arguments = new ArrayList<>(List.of("perf", "server", "--port", "0"));
        arguments.addAll(List.of(options));
        return new ServerProcess(ChildJvm.of(Main.class).environment("UCX_LOG_LEVEL", "fatal")
                .arguments(arguments.toArray(String[]::new)).start());
    }

    int port() {
        return port;
    }

    String address() {
        return "127.0.0.1:" + port;
    }

    ChildJvm child() {
        return child;
    }

    @Override
    public void close() {
        child.close();
    }
}
