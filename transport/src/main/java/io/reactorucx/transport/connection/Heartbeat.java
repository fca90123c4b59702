package io.reactorucx.transport.connection;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The heartbeat of one connection: it sends PING when this side has been silent, and reports a peer that has been
 * silent for too long. Every active message of the peer counts as a sign of life.
 *
 * <p>Thread: engine, except where a method says otherwise.
 */
public final class Heartbeat {

    private final HeartbeatTimer clock;
    private final Runnable ping;
    private final Runnable whenLate;
    private final Consumer<String> whenSilent;
    private long intervalNanos;
    private long receivedAt;
    /** As {@code receivedAt}, of PINGs over the control socket, which its thread notes: no command has to wait. */
    private volatile long receivedOverSocketAt;
    private long sentAt;
    private long otherPingAt;
    private boolean missed;
    private @Nullable Runnable otherPing;

    /**
     * Creates a heartbeat.
     *
     * @param ping sends PING over the endpoint, if there is one
     * @param whenLate called when the peer has been silent for an interval
     * @param whenSilent called with the reason when the peer is lost
     */
    Heartbeat(HeartbeatTimer clock, Runnable ping, Runnable whenLate, Consumer<String> whenSilent) {
        this.clock = clock;
        this.ping = ping;
        this.whenLate = whenLate;
        this.whenSilent = whenSilent;
    }

    /** Starts with an interval that both sides have agreed on, zero for no heartbeat. */
    void start(Duration interval) {
        intervalNanos = interval.toNanos();
        if (intervalNanos > 0) {
            clock.add(this);
            received();
            sent();
        }
    }

    void stop() {
        clock.remove(this);
    }

    /** Adds a way to send PING that does not wait behind large messages, as the endpoint does. */
    public void addPing(Runnable sender) {
        otherPing = sender;
    }

    /** PING has come over the control socket. Thread: any. */
    void receivedOverSocket() {
        receivedOverSocketAt = clock.activeNanos();
    }

    long intervalNanos() {
        return intervalNanos;
    }

    /** The peer has sent a message. */
    void received() {
        receivedAt = clock.activeNanos();
    }

    /** This side has sent a message, which makes the next PING unnecessary. */
    public void sent() {
        sentAt = clock.nanos();
    }

    /**
     * Sends PING if this side has been silent for half an interval, so that it arrives in time even at a peer that
     * checks late. Reports the peer as lost after one and a half intervals of silence. The time of a message is that of
     * the check before it, so {@code sinceLastCheckNanos} is allowed on top.
     */
    void check(long sinceLastCheckNanos) {
        long silentNanos = clock.activeNanos() - Math.max(receivedAt, receivedOverSocketAt);
        if (silentNanos >= intervalNanos + intervalNanos / 2 + sinceLastCheckNanos) {
            whenSilent.accept(silence(silentNanos));
            return;
        }
        boolean late = silentNanos >= intervalNanos;
        if (late && !missed) {
            whenLate.run();
        }
        missed = late;
        if (clock.nanos() - sentAt >= intervalNanos / 2) {
            sent();
            ping.run();
        }
        if (otherPing != null && clock.nanos() - otherPingAt >= intervalNanos / 2) {
            otherPingAt = clock.nanos();
            otherPing.run();
        }
    }

    private String silence(long silentNanos) {
        return "the peer has sent nothing for " + TimeUnit.NANOSECONDS.toMillis(silentNanos)
                + " ms, the heartbeat interval is " + TimeUnit.NANOSECONDS.toMillis(intervalNanos) + " ms";
    }
}
