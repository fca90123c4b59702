package io.reactorucx.internal.handshake;

import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcxVersion;
import io.reactorucx.internal.config.PeerLimits;
import io.reactorucx.internal.frame.ControlFields;
import io.reactorucx.internal.frame.ControlFields.Key;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What one side tells the other about itself.
 *
 * @param ucxVersion of its library
 * @param errorMode of its endpoint; the same on both sides
 * @param byteOrder of its machine; the same on both sides
 * @param limits what it takes
 * @param heartbeatMillis how often it wants to hear of its peer, 0 if it does not mind
 * @param workerId of its engine's worker, the same for all of that engine's connections
 */
public record PeerInfo(UcxVersion ucxVersion, ErrorMode errorMode, ByteOrder byteOrder, PeerLimits limits,
        int heartbeatMillis, long workerId) {

    /** No peer is asked to speak more often. */
    public static final int MIN_HEARTBEAT_MILLIS = 100;

    private static final Set<Key> KEYS = Set.of(Key.UCX_VERSION, Key.ERROR_MODE, Key.BYTE_ORDER, Key.MAX_HEADER_BYTES,
            Key.MAX_MESSAGE_BYTES,
            Key.MAX_STREAMS, Key.HEARTBEAT_MILLIS, Key.WORKER_ID);
    private static final ErrorMode[] ERROR_MODES = ErrorMode.values();

    public ControlFields addTo(ControlFields fields) {
        byte[] version = ByteBuffer.allocate(3 * Short.BYTES).putShort((short) ucxVersion.major())
                .putShort((short) ucxVersion.minor())
                .putShort((short) ucxVersion.release()).array();
        return fields.with(Key.UCX_VERSION, version).with(Key.ERROR_MODE, errorMode.ordinal())
                .with(Key.BYTE_ORDER, byteOrder == ByteOrder.BIG_ENDIAN ? 1 : 0)
                .with(Key.MAX_HEADER_BYTES, limits.maxHeaderBytes())
                .with(Key.MAX_MESSAGE_BYTES, limits.maxMessageBytes()).with(Key.MAX_STREAMS, limits.maxStreams())
                .with(Key.HEARTBEAT_MILLIS, heartbeatMillis).with(Key.WORKER_ID, workerId);
    }

    /** What the peer says, or null when it does not say all of it or something that cannot be. */
    public static @Nullable PeerInfo of(ControlFields fields) {
        if (!KEYS.stream().allMatch(fields::has)) {
            return null;
        }
        ByteBuffer version = fields.buffer(Key.UCX_VERSION);
        int mode = fields.buffer(Key.ERROR_MODE).get();
        int order = fields.buffer(Key.BYTE_ORDER).get();
        PeerLimits limits = new PeerLimits(fields.buffer(Key.MAX_HEADER_BYTES).getInt(),
                fields.buffer(Key.MAX_MESSAGE_BYTES).getLong(),
                fields.buffer(Key.MAX_STREAMS).getInt());
        int heartbeat = fields.buffer(Key.HEARTBEAT_MILLIS).getInt();
        if (mode < 0 || mode >= ERROR_MODES.length || order < 0 || order > 1 || limits.maxHeaderBytes() < 0
                || limits.maxMessageBytes() < 0
                || limits.maxStreams() < 0 || heartbeat < 0) {
            return null;
        }
        return new PeerInfo(new UcxVersion(Short.toUnsignedInt(version.getShort()),
                Short.toUnsignedInt(version.getShort()),
                Short.toUnsignedInt(version.getShort())), ERROR_MODES[mode], order == 1 ? ByteOrder.BIG_ENDIAN
                : ByteOrder.LITTLE_ENDIAN,
                limits, heartbeat, fields.buffer(Key.WORKER_ID).getLong());
    }

    /** Says what has to be the same on both sides and is not; null when all is well. */
    static @Nullable String difference(PeerInfo client, PeerInfo server) {
        if (client.errorMode != server.errorMode) {
            return differs("error mode", client.errorMode, server.errorMode);
        }
        return client.byteOrder == server.byteOrder ? null : differs("byte order", client.byteOrder, server.byteOrder);
    }

    /** In words that mean the same on both sides. */
    static String differs(String what, Object client, Object server) {
        return what + ": " + client + " at the client, " + server + " at the server";
    }

    /**
     * The time between signs of life that two sides agree on: the shorter one that any of them wants, zero if none
     * does.
     */
    public static Duration heartbeat(PeerInfo one, PeerInfo other) {
        int shorter = one.heartbeatMillis == 0 || other.heartbeatMillis == 0
                ? Math.max(one.heartbeatMillis, other.heartbeatMillis)
                : Math.min(one.heartbeatMillis, other.heartbeatMillis);
        return Duration.ofMillis(shorter == 0 ? 0 : Math.max(shorter, MIN_HEARTBEAT_MILLIS));
    }
}
