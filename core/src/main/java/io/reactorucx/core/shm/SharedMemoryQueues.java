package io.reactorucx.core.shm;

import io.reactorucx.core.UcpContext;
import io.reactorucx.core.internal.process.ProcessState;
import io.reactorucx.core.internal.segment.SharedMemoryQueue;
import io.reactorucx.core.internal.segment.WakeupSockets;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repairs the queues of UCX's shared memory after the death of a peer's process, which UCX itself does not. A sender
 * takes an element of the receiver's queue before it writes it: when its process is killed in between, the receiver
 * waits for that element for ever, and gets no more messages of any peer. And what is sent to a process that has died
 * waits for room in its queue for ever. The first kind of element is skipped, the queue of a dead process is emptied.
 *
 * <p>The layout of the queues is that of UCX's default sizes: with settings for {@code FIFO_SIZE} or {@code
 * FIFO_ELEM_SIZE} nothing is repaired. Processes are told by their ids, so this works within one PID namespace, for
 * peers that have said which process they are.
 *
 * <p><b>Threading:</b> one thread at a time. <b>Ownership:</b> none. <b>Errors:</b> what cannot be read or written is
 * logged, once, and not repaired from then on.
 */
public final class SharedMemoryQueues {

    private static final Logger LOG = LoggerFactory.getLogger(SharedMemoryQueues.class);

    /** A sender that is alive writes its element within microseconds, unless it is interrupted just then. */
    private static final long GRACE_NANOS = Duration.ofSeconds(1).toNanos();

    private static final List<String> SIZES = List.of("FIFO_SIZE", "FIFO_ELEM_SIZE");

    /** How often UCX is told to look, of this process's engines by one. */
    private static final long SIGNAL_INTERVAL_NANOS = Duration.ofMillis(500).toNanos();
    private static final AtomicLong LAST_SIGNAL = new AtomicLong(System.nanoTime());

    private final Map<Long, Unwritten> unwritten = new HashMap<>();
    private final Set<Lost> lost = new HashSet<>();
    private final Set<Integer> dead = new HashSet<>();
    private boolean usable;

    /** A process of which a connection was lost. */
    private record Lost(int id, long startedAt) {

        boolean hasEnded() {
            return ProcessState.startedAt(id) != startedAt;
        }
    }

    /** An element that the receiver waits for. */
    private record Unwritten(long number, long sinceNanos) {
    }

    /**
     * Makes the repair of a process that uses a context.
     *
     * @param context says whether the queues have their default sizes
     */
    public SharedMemoryQueues(UcpContext context) {
        Objects.requireNonNull(context, "context");
        usable = context.config().settings().keySet().stream().noneMatch(SharedMemoryQueues::isSize)
                && System.getenv().keySet().stream().noneMatch(SharedMemoryQueues::isSize);
    }

    private static boolean isSize(String setting) {
        return SIZES.stream().anyMatch(setting::endsWith);
    }

    /**
     * Notes that the connection to a peer was lost, and that its process may have died. The queue of a process that
     * lives is not emptied, whatever process the peer has named, and whichever has its id later.
     *
     * @param peer the process as it has named itself
     * @param startedAt when that process was started, as was seen when the peer named it; empty when it was not seen,
     *     and then nothing is noted
     */
    public void peerLost(ProcessIdentity peer, OptionalLong startedAt) {
        if (startedAt.isPresent() && ProcessIdentity.self().canWatch(peer)
                && peer.id() != ProcessIdentity.self().id()) {
            lost.add(new Lost(peer.id(), startedAt.getAsLong()));
        }
    }

    /**
     * Lets UCX look for messages of which it was not told, at most twice a second in a process. UCX looks at a queue to
     * whose senders it has no endpoint only when a sender wakes it up. The sender does so if the queue is marked for
     * that, and takes the mark away. Where its signal is lost, because it is in another network namespace or its
     * process ends just then, no later sender wakes the receiver up, which then receives from nobody. Any thread.
     */
    public static void signalReceivers() {
        long last = LAST_SIGNAL.get();
        long now = System.nanoTime();
        if (now - last >= SIGNAL_INTERVAL_NANOS && LAST_SIGNAL.compareAndSet(last, now)) {
            WakeupSockets.signalOwn();
        }
    }

    /** Notes that no peer is missed any more. */
    public void forgetPeers() {
        lost.clear();
        dead.clear();
        unwritten.clear();
    }

    /**
     * Looks at all queues that this process has mapped, and repairs what it can: after the loss of a peer, some times.
     *
     * @return whether something may be left to repair, so that this should be called again soon
     */
    public boolean repair() {
        if (!usable || lost.isEmpty() && dead.isEmpty()) {
            return false;
        }
        try {
            return repairAll(SharedMemoryQueue.mapped());
        } catch (IOException | RuntimeException e) {
            usable = false;
            LOG.warn("The queues of UCX in shared memory are not repaired after the death of a peer: {}",
                    e.toString());
            return false;
        }
    }

    private boolean repairAll(List<SharedMemoryQueue> queues) throws IOException {
        List<Lost> ended = lost.stream().filter(Lost::hasEnded).toList();
        ended.forEach(peer -> dead.add(peer.id()));
        ended.forEach(lost::remove);
        boolean full = false;
        for (SharedMemoryQueue queue : queues) {
            if (queue.owner() == ProcessIdentity.self().id()) {
                repairOwn(queue);
            } else if (dead.contains(queue.owner())) {
                discard(queue);
            } else {
                full |= queue.isFull() && lost.stream().anyMatch(peer -> peer.id() == queue.owner());
            }
        }
        return full || !unwritten.isEmpty();
    }

    /**
     * Empties the queue of a process that is dead at this moment. The queue was found before: it is not that of a
     * process that gets the id from now on. One that has got it before is alive now.
     */
    private static void discard(SharedMemoryQueue queue) throws IOException {
        if (!queue.isDiscarded() && ProcessState.isDead(queue.owner())) {
            LOG.debug("UCX's queue of process {}, which has died, is emptied", queue.owner());
            queue.discard();
        }
    }

    private void repairOwn(SharedMemoryQueue queue) throws IOException {
        long number = queue.firstUnwritten();
        long now = System.nanoTime();
        Unwritten before = unwritten.get(queue.address());
        if (number < 0) {
            unwritten.remove(queue.address());
        } else if (before == null || before.number() != number) {
            unwritten.put(queue.address(), new Unwritten(number, now));
        } else if (!dead.isEmpty() && now - before.sinceNanos() >= GRACE_NANOS && queue.skip(number)) {
            LOG.warn("A process died while it wrote a message into UCX's shared memory: the message is skipped,"
                    + " the receiver goes on");
            unwritten.remove(queue.address());
        }
    }
}
