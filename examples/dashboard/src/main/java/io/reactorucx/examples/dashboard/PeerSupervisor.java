package io.reactorucx.examples.dashboard;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Keeps the peer running: a peer that has ended is started again at the same ports, a limited number of times.
 *
 * <p><b>Threading:</b> one thread supervises; {@link #kill()} and {@link #close()} may be called from any.
 * <b>Ownership:</b> {@link #close()}, and the end of this process, kill the peer. <b>Errors:</b> a
 * {@link DashboardFailure} when the peer does not listen, or has ended too often.
 */
final class PeerSupervisor implements AutoCloseable {

    /** A peer that ends again and again has a fault that another start does not mend. */
    private static final int MAX_STARTS = 10;
    /** Within this a first peer listens on the busiest machine; one that is started again may take its time. */
    private static final long READY_LIMIT_SECONDS = 300;

    private final PeerPorts ports;
    private final Thread endWithUs = new Thread(this::end, "end-peer");
    private PeerProcess process;
    private boolean ended;
    private int starts = 1;

    private PeerSupervisor(PeerProcess process, PeerPorts ports) {
        this.process = process;
        this.ports = ports;
        Runtime.getRuntime().addShutdownHook(endWithUs);
    }

    /** Starts the peer at free ports, and waits until it listens. */
    static PeerSupervisor start(Consumer<String> says) {
        PeerPorts ports = PeerPorts.free();
        PeerProcess process = PeerProcess.start(ports);
        try {
            if (!process.awaitReady(TimeUnit.SECONDS.toNanos(READY_LIMIT_SECONDS), says)) {
                throw new DashboardFailure("the peer did not listen within " + READY_LIMIT_SECONDS + " s");
            }
            return new PeerSupervisor(process, ports);
        } catch (InterruptedException e) {
            process.kill();
            throw interrupted();
        } catch (DashboardFailure e) {
            process.kill();
            throw e;
        }
    }

    PeerPorts ports() {
        return ports;
    }

    /** Supervises until a time of {@link System#nanoTime()}, and says what happens. */
    void superviseUntil(long deadline, Consumer<String> says) {
        try {
            while (current().awaitEnd(deadline - System.nanoTime())) {
                says.accept(DashboardCommand.PEER_ENDED + " with exit code " + current().exitValue());
                if (!restart()) {
                    return;
                }
                if (awaitAgain(deadline, says)) {
                    says.accept(DashboardCommand.PEER_READY + " again");
                }
            }
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    /** A peer that ends before it listens is started once more, as one that ends later. */
    private boolean awaitAgain(long deadline, Consumer<String> says) throws InterruptedException {
        try {
            return current().awaitReady(deadline - System.nanoTime(), says);
        } catch (DashboardFailure e) {
            says.accept(String.valueOf(e.getMessage()));
            return false;
        }
    }

    private synchronized PeerProcess current() {
        return process;
    }

    private synchronized boolean restart() {
        if (ended) {
            return false;
        }
        if (starts == MAX_STARTS) {
            throw new DashboardFailure("the peer has ended " + starts + " times");
        }
        starts++;
        process = PeerProcess.start(ports);
        return true;
    }

    void kill() {
        current().kill();
    }

    private synchronized void end() {
        ended = true;
        process.kill();
    }

    private static DashboardFailure interrupted() {
        Thread.currentThread().interrupt();
        return new DashboardFailure("interrupted");
    }

    @Override
    public void close() {
        end();
        try {
            Runtime.getRuntime().removeShutdownHook(endWithUs);
        } catch (IllegalStateException e) {
            // This process is ending already, and the hook does the same.
        }
    }
}
