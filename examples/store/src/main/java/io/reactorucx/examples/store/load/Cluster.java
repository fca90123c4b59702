package io.reactorucx.examples.store.load;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A registry and the nodes of a store, each a process. Threading: one thread, but for {@link #alive()}. */
final class Cluster implements AutoCloseable {

    private final ChildProcess registry;
    private final int registryPort;
    private final List<ChildProcess> nodes = new ArrayList<>();

    private Cluster(ChildProcess registry) {
        this.registry = registry;
        this.registryPort = registry.awaitPort();
    }

    /** Starts all, and says which of them listen. */
    static Cluster start(int nodes, Consumer<String> says) {
        Cluster cluster = new Cluster(ChildProcess.registry());
        says.accept("the registry listens");
        try {
            for (int node = 0; node < nodes; node++) {
                cluster.nodes.add(ChildProcess.node(node, nodes, cluster.registryPort));
            }
            cluster.nodes.forEach(node -> {
                node.awaitPort();
                says.accept(node.name() + " listens");
            });
            return cluster;
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    int registryPort() {
        return registryPort;
    }

    /** {@return ports of HTTP of the nodes, as soon as they listen} */
    List<Integer> ports() {
        List<ChildProcess> now;
        synchronized (nodes) {
            now = List.copyOf(nodes);
        }
        return now.stream().map(ChildProcess::awaitPort).toList();
    }

    long alive() {
        synchronized (nodes) {
            return nodes.stream().filter(ChildProcess::isReady).count();
        }
    }

    /** Kills a node, and starts it again. Returns when it was killed, as {@link System#nanoTime()}. */
    long restart(int node) {
        synchronized (nodes) {
            long killed = System.nanoTime();
            nodes.get(node).kill();
            nodes.set(node, ChildProcess.node(node, nodes.size(), registryPort));
            return killed;
        }
    }

    @Override
    public void close() {
        List<ChildProcess> now;
        synchronized (nodes) {
            now = List.copyOf(nodes);
        }
        now.forEach(ChildProcess::end);
        now.forEach(ChildProcess::close);
        registry.close();
    }
}
