package io.reactorucx.transport.connection;

import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcxTransportKind;
import io.reactorucx.transport.config.Wiretap;
import io.reactorucx.transport.event.FlightEvents;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The name of a connection in the log, its wiretap and its events, and what it goes over. The id tells connections to
 * the same peer apart; it is the same in the log and in the events, and unique in the process.
 *
 * <p>Thread: engine; id, name and transports any.
 */
final class ConnectionLog {

    /** In place of the kind of the transports, where there are several kinds. */
    static final String MIXED = "mixed";

    private static final AtomicLong IDS = new AtomicLong();

    private final String id = String.format(Locale.ROOT, "%04x", IDS.incrementAndGet());
    private final String peer;
    private final String name;
    private final String engine;
    private final @Nullable Wiretap wiretap;
    private final long createdNanos = System.nanoTime();
    private volatile @Nullable List<String> transports;

    ConnectionLog(String peer, String engine, @Nullable Wiretap wiretap) {
        this.peer = peer;
        this.name = id + " " + peer;
        this.engine = engine;
        this.wiretap = wiretap;
    }

    String id() {
        return id;
    }

    String name() {
        return name;
    }

    /** Returns the transports of the carrier since the connection was established, none before. */
    List<String> transports() {
        List<String> taken = transports;
        return taken == null ? List.of() : taken;
    }

    /** Returns the kind of the transports, null before the connection was established. */
    @Nullable String transport() {
        List<String> taken = transports;
        if (taken == null) {
            return null;
        }
        List<UcxTransportKind> kinds = taken.stream().map(UcxTransportKind::of).distinct().toList();
        return kinds.isEmpty() ? UcxTransportKind.OTHER.tag() : kinds.size() == 1 ? kinds.getFirst().tag() : MIXED;
    }

    void established(List<String> taken) {
        transports = taken;
        FlightEvents.connected(id, peer, engine, System.nanoTime() - createdNanos);
        event("connected");
    }

    void lost(PeerCounters.Loss cause, String reason) {
        FlightEvents.lost(id, peer, cause.name().toLowerCase(Locale.ROOT), reason);
        if (wiretap != null) {
            event("lost: " + reason);
        }
    }

    void closed(boolean lost) {
        FlightEvents.closed(id, peer, engine, lost, System.nanoTime() - createdNanos);
        event("closed");
    }

    void control(String direction, Enum<?> type) {
        if (wiretap != null) {
            event(direction + " control frame " + type);
        }
    }

    private void event(String what) {
        if (wiretap != null) {
            wiretap.event(name, what);
        }
    }

    void sent(int id, MemorySegment header, MemorySegment payload) {
        if (wiretap != null) {
            wiretap.message(name, "sent", id, header, payload);
        }
    }

    void sent(int id, byte[] bytes, int size) {
        if (wiretap != null) {
            wiretap.message(name, "sent", id, MemorySegment.NULL, MemorySegment.ofArray(bytes).asSlice(0, size));
        }
    }

    void received(UcpActiveMessage message) {
        if (wiretap != null && message.isInline()) {
            wiretap.message(name, "received", message.id(), message.header(), message.payload());
        } else if (wiretap != null) {
            wiretap.offer(name, message.id(), message.header(), message.length());
        }
    }
}
