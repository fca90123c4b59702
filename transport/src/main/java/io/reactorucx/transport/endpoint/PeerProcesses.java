package io.reactorucx.transport.endpoint;

import io.reactorucx.engine.CommandExecutor;
import io.reactorucx.engine.PeriodicTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Looks from time to time whether the processes of peers on this host are alive. Over shared memory nothing else tells
 * soon that a process was killed, unless there is a control socket. The processes are looked at in turn, because each
 * look reads a file on the engine's thread.
 *
 * <p>Thread: engine.
 */
public final class PeerProcesses {

    private static final Duration INTERVAL = Duration.ofMillis(500);

    private final int processesAtATime;
    private final int looks;
    private final PeriodicTask task;
    /** The process that is looked at next is the first. */
    private final Map<PeerProcess, Watched> watched = new LinkedHashMap<>();

    /** One process, which several connections or endpoints may have as their peer. */
    private static final class Watched {

        private final Set<Runnable> whenEnded = new HashSet<>();
        private int looksWithoutIt;
    }

    /**
     * Creates a watch.
     *
     * @param name of its looks, for the log
     * @param looks how many find the process gone before its end is told: what it had sent is received in between
     */
    public PeerProcesses(CommandExecutor engine, String name, int processesAtATime, int looks) {
        this.processesAtATime = processesAtATime;
        this.looks = looks;
        this.task = PeriodicTask.aligned(engine, name, INTERVAL, this::look);
    }

    /** Watches a process, if it can be seen from here. The action runs when it has ended, until it is removed. */
    public void add(PeerProcess process, Runnable whenEnded) {
        if (process.isVisible()) {
            watched.computeIfAbsent(process, first -> new Watched()).whenEnded.add(whenEnded);
            task.start();
        }
    }

    /** The end of the process is of no interest any more. */
    public void remove(PeerProcess process, Runnable whenEnded) {
        Watched known = watched.get(process);
        if (known != null && known.whenEnded.remove(whenEnded) && known.whenEnded.isEmpty()) {
            watched.remove(process);
        }
    }

    private boolean look() {
        List<Runnable> ended = new ArrayList<>();
        for (PeerProcess process : watched.keySet().stream().limit(processesAtATime).toList()) {
            Watched each = watched.remove(process);
            watched.put(process, each);
            if (process.hasEnded() && ++each.looksWithoutIt >= looks) {
                ended.addAll(each.whenEnded);
            }
        }
        ended.forEach(Runnable::run);
        return !watched.isEmpty();
    }
}
