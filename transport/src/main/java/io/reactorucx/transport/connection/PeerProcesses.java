package io.reactorucx.transport.connection;

import io.reactorucx.engine.PeriodicTask;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.transport.endpoint.PeerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Looks from time to time whether the processes of peers on this host are alive. Over shared memory nothing else tells
 * soon that a process was killed, unless there is a control socket.
 *
 * <p>Thread: engine.
 */
final class PeerProcesses {

    private static final Duration INTERVAL = Duration.ofMillis(500);

    private final PeriodicTask looks;
    private final Map<PeerProcess, Watched> watched = new HashMap<>();

    /** One process, which several connections may have as their peer. */
    private static final class Watched {

        private final Set<Runnable> whenEnded = new HashSet<>();
        private boolean gone;
    }

    PeerProcesses(ProgressEngine engine) {
        this.looks = new PeriodicTask(engine, "the look for ended peers", INTERVAL, this::look);
    }

    /** Watches the process of a connection's peer, if it can be seen from here. */
    void add(PeerProcess process, Runnable whenEnded) {
        if (process.isVisible()) {
            watched.computeIfAbsent(process, first -> new Watched()).whenEnded.add(whenEnded);
            looks.start();
        }
    }

    /** The connection has ended. */
    void remove(PeerProcess process, Runnable whenEnded) {
        Watched known = watched.get(process);
        if (known != null && known.whenEnded.remove(whenEnded) && known.whenEnded.isEmpty()) {
            watched.remove(process);
        }
    }

    /** A connection is lost at the second look without its process: what that had sent is received in between. */
    private boolean look() {
        List<Runnable> lost = new ArrayList<>();
        watched.forEach((process, each) -> {
            if (each.gone) {
                lost.addAll(each.whenEnded);
            }
            each.gone = process.hasEnded();
        });
        lost.forEach(Runnable::run);
        return !watched.isEmpty();
    }
}
