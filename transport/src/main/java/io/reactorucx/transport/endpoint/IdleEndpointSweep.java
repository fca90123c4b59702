package io.reactorucx.transport.endpoint;

import io.reactorucx.engine.PeriodicTask;
import io.reactorucx.engine.ProgressEngine;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes the idle endpoints of processes that have ended, which UCX does not tell over shared memory: an endpoint keeps
 * the memory of its peer mapped. The processes are looked at in turn, few at a time, because each look reads a file on
 * the engine's thread.
 *
 * <p>Thread: engine.
 */
final class IdleEndpointSweep {

    private static final Logger LOG = LoggerFactory.getLogger(IdleEndpointSweep.class);
    private static final Duration INTERVAL = Duration.ofMillis(500);
    private static final int PROCESSES_AT_A_TIME = 4;

    private final PeriodicTask sweeps;
    /** The actions that close the endpoints of each process; the process that is looked at next is the first. */
    private final Map<PeerProcess, Set<Runnable>> closes = new LinkedHashMap<>();

    IdleEndpointSweep(ProgressEngine engine) {
        this.sweeps = new PeriodicTask(engine, "the sweep of idle endpoints", INTERVAL, this::sweep);
    }

    /** An endpoint is idle: it is closed by the action when the process has ended. */
    void add(PeerProcess process, Runnable close) {
        if (process.isVisible()) {
            closes.computeIfAbsent(process, first -> new HashSet<>()).add(close);
            sweeps.start();
        }
    }

    /** The endpoint is not idle any more. */
    void remove(PeerProcess process, Runnable close) {
        Set<Runnable> ofProcess = closes.get(process);
        if (ofProcess != null && ofProcess.remove(close) && ofProcess.isEmpty()) {
            closes.remove(process);
        }
    }

    private boolean sweep() {
        for (PeerProcess process : closes.keySet().stream().limit(PROCESSES_AT_A_TIME).toList()) {
            Set<Runnable> ofProcess = Set.copyOf(closes.getOrDefault(process, Set.of()));
            if (ofProcess.isEmpty()) {
                closes.remove(process);
            } else if (process.hasEnded()) {
                LOG.debug("process {} has ended with {} idle endpoints", process.identity().id(), ofProcess.size());
                ofProcess.forEach(Runnable::run);
            } else {
                closes.put(process, closes.remove(process));
            }
        }
        return !closes.isEmpty();
    }
}
