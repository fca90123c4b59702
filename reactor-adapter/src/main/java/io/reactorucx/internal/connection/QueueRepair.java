package io.reactorucx.internal.connection;

import io.reactorucx.core.SharedMemoryQueues;
import io.reactorucx.core.UcpContext;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.internal.command.DelayedAction;
import io.reactorucx.internal.endpoint.PeerProcess;
import java.time.Duration;

/**
 * Repairs the queues of UCX's shared memory when a connection is lost, because the process of its peer
 * may have died.
 *
 * <p>Thread: engine.
 */
final class QueueRepair {

    private static final Duration INTERVAL = Duration.ofMillis(50);
    /** The end of a process is seen at its sockets before its state says so. */
    private static final int LEAST_LOOKS = 10;

    private final ProgressEngine engine;
    private final SharedMemoryQueues queues;
    private int looks;

    QueueRepair(ProgressEngine engine, UcpContext context) {
        this.engine = engine;
        this.queues = new SharedMemoryQueues(context);
    }

    void peerLost(PeerProcess peer) {
        queues.peerLost(peer.identity(), peer.startedAt());
        boolean idle = looks == 0;
        looks = LEAST_LOOKS;
        if (idle) {
            look();
        }
    }

    private void look() {
        boolean unfinished = queues.repair();
        looks = unfinished ? Math.max(looks, 1) : looks - 1;
        if (looks > 0) {
            DelayedAction.after(engine, INTERVAL, this::look);
        } else {
            queues.forgetPeers();
        }
    }
}
