package io.reactorucx.connection;

import io.reactorucx.internal.handshake.HandshakeFailure;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.Stream;

/**
 * What became of the peers of one engine, since the start.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> none. <b>Errors:</b> none.
 */
public final class PeerCounters {

    private final AtomicLong missedHeartbeats = new AtomicLong();
    private final AtomicLongArray losses = new AtomicLongArray(Loss.values().length);
    private final AtomicLongArray refusals = new AtomicLongArray(HandshakeFailure.Kind.values().length);

    public PeerCounters() {
    }

    /** How a peer is lost. Few, since they are values of a tag. */
    public enum Loss {
        /** UCX reports its endpoint as failed. */
        TRANSPORT,
        /** Nothing was heard of it. */
        HEARTBEAT
    }

    public void missedHeartbeat() {
        missedHeartbeats.incrementAndGet();
    }

    public void lost(Loss loss) {
        losses.incrementAndGet(loss.ordinal());
    }

    public void refused(HandshakeFailure.Kind reason) {
        refusals.incrementAndGet(reason.ordinal());
    }

    /** {@return how often nothing was heard of a peer for a whole heartbeat interval} */
    public long missedHeartbeats() {
        return missedHeartbeats.get();
    }

    /** {@return the causes for which connections get lost} */
    public static List<String> lossCauses() {
        return names(Loss.values());
    }

    /**
     * Connections that were lost.
     *
     * @param cause one of {@link #lossCauses()}
     * @return how many
     */
    public long lostConnections(String cause) {
        return losses.get(index(lossCauses(), cause));
    }

    /** {@return the reasons for which handshakes come to nothing} */
    public static List<String> refusalReasons() {
        return names(HandshakeFailure.Kind.values());
    }

    /**
     * Handshakes in which one side refused the other.
     *
     * @param reason one of {@link #refusalReasons()}
     * @return how many
     */
    public long refusedHandshakes(String reason) {
        return refusals.get(index(refusalReasons(), reason));
    }

    private static List<String> names(Enum<?>[] values) {
        return Stream.of(values).map(value -> value.name().toLowerCase(Locale.ROOT)).toList();
    }

    private static int index(List<String> names, String name) {
        int index = names.indexOf(name);
        if (index < 0) {
            throw new IllegalArgumentException(name + ": must be one of " + names);
        }
        return index;
    }
}
