package io.reactorucx.internal.connection;

import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcxStatus;
import io.reactorucx.internal.concurrent.CoalescedCommand;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Signs of life of one connection, once its sides have agreed on how often to give them. Whatever the peer says on an
 * active message is one. On the engine's thread.
 */
public final class Heartbeat {

    private final ConnectionCore connection;
    private final ControlFrameSender control;
    private final HeartbeatTimer clock;
    private final CoalescedCommand heardElsewhere;
    private long intervalNanos;
    private long heardAt;
    private long sentAt;
    private long givenAt;
    private boolean missed;
    private boolean sending;
    private @Nullable Runnable otherWay;

    Heartbeat(ConnectionCore connection, ControlFrameSender control, HeartbeatTimer clock) {
        this.connection = connection;
        this.control = control;
        this.clock = clock;
        this.heardElsewhere = new CoalescedCommand(connection.engine(), this::heard);
    }

    /** From now on, until {@link #stop}; zero is never. */
    void start(Duration interval) {
        intervalNanos = interval.toNanos();
        if (intervalNanos > 0) {
            clock.add(this);
            heard();
            sent();
        }
    }

    void stop() {
        clock.remove(this);
    }

    /** One more way to give signs of life, on which they do not wait behind a large message as all else may. */
    public void alsoBy(Runnable way) {
        otherWay = way;
    }

    /** A sign of life has come on the other way. Any thread. */
    void heardElsewhere() {
        heardElsewhere.submit();
    }

    long intervalNanos() {
        return intervalNanos;
    }

    /** Something has come from the peer. */
    void heard() {
        heardAt = clock.activeNanos();
    }

    /** Something that the peer takes for a sign of life is on its way. */
    public void sent() {
        sentAt = clock.nanos();
    }

    /**
     * Says something if this side has been silent for half an interval, so that a peer hears of it in time even if it
     * looks late; gives the peer up when it was silent for one and a half. What came since the last look but one may
     * count as older than it is.
     */
    void look(long lookedBeforeNanos) {
        long silentNanos = clock.activeNanos() - heardAt;
        if (silentNanos >= intervalNanos + intervalNanos / 2 + lookedBeforeNanos) {
            connection.termination().peerSilent(UcxStatus.ENDPOINT_TIMEOUT.code(), silence(silentNanos));
            return;
        }
        boolean late = silentNanos >= intervalNanos;
        if (late && !missed) {
            connection.registry().counters().missedHeartbeat();
        }
        missed = late;
        if (clock.nanos() - sentAt >= intervalNanos / 2) {
            sent();
            ping(connection.endpoint());
        }
        if (otherWay != null && clock.nanos() - givenAt >= intervalNanos / 2) {
            givenAt = clock.nanos();
            otherWay.run();
        }
    }

    /** One at a time: where the peer takes nothing, more of them would only fill memory. */
    private void ping(@Nullable UcpEndpoint endpoint) {
        if (!sending && endpoint != null && endpoint.failure() == 0) {
            sending = control.ping(endpoint, (status, length, tag) -> {
                sending = false;
                connection.operationEnded();
            });
        }
    }

    private String silence(long silentNanos) {
        return "nothing was heard of the peer for " + TimeUnit.NANOSECONDS.toMillis(silentNanos)
                + " ms, a sign of life was due every "
                + TimeUnit.NANOSECONDS.toMillis(intervalNanos) + " ms";
    }
}
