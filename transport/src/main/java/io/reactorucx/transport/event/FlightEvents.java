package io.reactorucx.transport.event;

import java.time.Duration;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/**
 * Writes events of JDK Flight Recorder, where the JDK has it. While no recording has enabled an event, it costs a
 * branch.
 *
 * <p>Thread: any.
 */
public final class FlightEvents {

    private static final boolean AVAILABLE = isAvailable();

    private FlightEvents() {
    }

    private static boolean isAvailable() {
        try {
            Class.forName("jdk.jfr.Event", false, FlightEvents.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    /** To ask an event starts the recorder, which takes an engine's thread up to 100 ms; this does not. */
    private static boolean recording() {
        return AVAILABLE && FlightRecorder.isInitialized();
    }

    /** A connection has been established, after so long. */
    public static void connected(String connection, String peer, String engine, long nanos) {
        if (recording() && ConnectionOpenedEvent.PROBE.isEnabled()) {
            ConnectionOpenedEvent.write(connection, peer, engine, nanos);
        }
    }

    /** A connection has ended, which had been open for so long. */
    public static void closed(String connection, String peer, String engine, boolean lost, long nanos) {
        if (recording() && ConnectionClosedEvent.PROBE.isEnabled()) {
            ConnectionClosedEvent.write(connection, peer, engine, lost, nanos);
        }
    }

    /** The peer of a connection was lost. */
    public static void lost(String connection, String peer, String cause, String reason) {
        if (recording() && ConnectionLostEvent.PROBE.isEnabled()) {
            ConnectionLostEvent.write(connection, peer, cause, reason);
        }
    }

    /** Begins the event of a large message. Returns null while the event is not enabled. */
    public static @Nullable Object largeMessage() {
        return recording() && LargeMessageEvent.PROBE.isEnabled() ? LargeMessageEvent.begun() : null;
    }

    /** A large message has been fetched by its receiver, or has failed. */
    public static void largeMessageEnded(@Nullable Object begun, String connection, String peer, boolean sent,
            long bytes, boolean success) {
        if (begun != null) {
            LargeMessageEvent.write(begun, connection, peer, sent, bytes, success);
        }
    }

    /** Begins the event of a stall. Returns null while the event is not enabled. */
    public static @Nullable Object stall() {
        return recording() && EngineStallEvent.PROBE.isEnabled() ? EngineStallEvent.begun() : null;
    }

    /** An engine that had stalled goes on. */
    public static void stallEnded(@Nullable Object begun, String engine, String operation, String handler,
            Duration noticed) {
        if (begun != null) {
            EngineStallEvent.write(begun, engine, operation, handler, noticed);
        }
    }

    /** A lease or an offered message was dropped without a release. */
    public static void leaked(String what, @Nullable String peer, long bytes) {
        if (recording() && LeakEvent.PROBE.isEnabled()) {
            LeakEvent.write(what, peer, bytes);
        }
    }

    /** A peer was refused before it had a connection. */
    public static void refused(String peer, String reason, String detail) {
        if (recording() && PeerRefusedEvent.PROBE.isEnabled()) {
            PeerRefusedEvent.write(peer, reason, detail);
        }
    }
}
