package io.reactorucx.transport.connection;

import io.reactorucx.core.UcpContext;
import io.reactorucx.core.shm.SharedMemoryQueues;
import io.reactorucx.engine.PeriodicTask;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.transport.endpoint.PeerProcess;
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

    private final PeriodicTask repairs;
    private final SharedMemoryQueues queues;
    private int looks;

    QueueRepair(ProgressEngine engine, UcpContext context) {
        this.repairs = new PeriodicTask(engine, "the repair of queues in shared memory", INTERVAL, this::look);
        this.queues = new SharedMemoryQueues(context);
    }

    void peerLost(PeerProcess peer) {
        queues.peerLost(peer.identity(), peer.startedAt());
        boolean idle = looks == 0;
        looks = LEAST_LOOKS;
        if (idle && look()) {
            repairs.start();
        }
    }

    private boolean look() {
        boolean unfinished = queues.repair();
        looks = unfinished ? Math.max(looks, 1) : looks - 1;
        if (looks == 0) {
            queues.forgetPeers();
        }
        return looks > 0;
    }
}
