package io.reactorucx.internal.connection;

import io.reactorucx.core.ProcessIdentity;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.internal.concurrent.DelayedAction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Looks from time to time whether the processes of peers on this host are alive. Over shared memory nothing else tells
 * soon that a process was killed, unless there is a control socket.
 *
 * <p>Thread: engine.
 */
final class PeerProcesses {

    private static final Duration INTERVAL = Duration.ofMillis(500);

    private final ProgressEngine engine;
    private final Map<ProcessIdentity, Watched> watched = new HashMap<>();
    private boolean looking;

    /** One process, which several connections may have as their peer. */
    private static final class Watched {

        private final OptionalLong startedAt;
        private final Set<ConnectionCore> connections = new HashSet<>();
        private boolean gone;

        Watched(OptionalLong startedAt) {
            this.startedAt = startedAt;
        }
    }

    PeerProcesses(ProgressEngine engine) {
        this.engine = engine;
    }

    /** Watches the process of a connection's peer, if it can be seen from here. */
    void add(ConnectionCore connection, ProcessIdentity process) {
        if (process.equals(ProcessIdentity.self())) {
            return;
        }
        Watched known = watched.computeIfAbsent(process, PeerProcesses::watched);
        if (known != null) {
            known.connections.add(connection);
            lookLater();
        }
    }

    private static @Nullable Watched watched(ProcessIdentity process) {
        OptionalLong startedAt = process.startedAt();
        return startedAt.isPresent() ? new Watched(startedAt) : null;
    }

    /** The connection has ended. */
    void remove(ConnectionCore connection, ProcessIdentity process) {
        Watched known = watched.get(process);
        if (known != null && known.connections.remove(connection) && known.connections.isEmpty()) {
            watched.remove(process);
        }
    }

    private void lookLater() {
        if (!looking && !watched.isEmpty()) {
            looking = true;
            DelayedAction.after(engine, INTERVAL, this::look);
        }
    }

    /** A connection is lost at the second look without its process: what that had sent is received in between. */
    private void look() {
        looking = false;
        List<ConnectionCore> lost = new ArrayList<>();
        watched.forEach((process, each) -> {
            if (each.gone) {
                lost.addAll(each.connections);
            }
            each.gone = !process.startedAt().equals(each.startedAt);
        });
        lost.forEach(connection -> connection.termination().peerProcessEnded());
        lookLater();
    }
}
