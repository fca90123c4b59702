package io.reactorucx.transport.handshake;

import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcxVersion;
import io.reactorucx.core.shm.ProcessIdentity;
import io.reactorucx.security.EncryptionMode;
import io.reactorucx.transport.config.FlowControlConfig;
import io.reactorucx.transport.config.PeerLimits;
import io.reactorucx.transport.config.ProtocolConfig;
import io.reactorucx.transport.config.TransportRequirement;
import io.reactorucx.transport.frame.ControlFields;
import io.reactorucx.transport.frame.ControlFields.Key;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The information that each side gives the other about itself in the handshake.
 *
 * @param ucxVersion the version of its UCX
 * @param errorMode the error mode of its endpoint; both sides need the same
 * @param byteOrder the byte order of its machine; both sides need the same
 * @param limits what it accepts
 * @param heartbeatMillis the longest silence that it wants from its peer, 0 for any
 * @param workerId an id of its worker, the same for all connections of one engine
 * @param process its process, for peers of the same host
 * @param takesTraces whether it reads a trace context in the head of a request
 * @param locality where its engine runs
 * @param requirement what it lets the data of the connection go over
 * @param encryption whether it wants the data encrypted
 */
public record PeerInfo(UcxVersion ucxVersion, ErrorMode errorMode, ByteOrder byteOrder, PeerLimits limits,
        int heartbeatMillis, long workerId, ProcessIdentity process, boolean takesTraces, Locality locality,
        TransportRequirement requirement, EncryptionOffer encryption) {

    private static final Set<Key> KEYS = Set.of(Key.UCX_VERSION, Key.ERROR_MODE, Key.BYTE_ORDER, Key.MAX_HEADER_BYTES,
            Key.MAX_MESSAGE_BYTES, Key.MAX_STREAMS, Key.WINDOW_BYTES, Key.HEARTBEAT_MILLIS, Key.WORKER_ID, Key.PROCESS);
    private static final ErrorMode[] ERROR_MODES = ErrorMode.values();

    /** Creates the information of a side that does not say where it runs, and requires no transport. */
    public PeerInfo(UcxVersion ucxVersion, ErrorMode errorMode, ByteOrder byteOrder, PeerLimits limits,
            int heartbeatMillis, long workerId, ProcessIdentity process, boolean takesTraces) {
        this(ucxVersion, errorMode, byteOrder, limits, heartbeatMillis, workerId, process, takesTraces,
                Locality.UNKNOWN, TransportRequirement.ANY, EncryptionOffer.NONE);
    }

    public ControlFields addTo(ControlFields fields) {
        byte[] version = ByteBuffer.allocate(3 * Short.BYTES).putShort((short) ucxVersion.major())
                .putShort((short) ucxVersion.minor()).putShort((short) ucxVersion.release()).array();
        ControlFields own = takesTraces ? fields.with(Key.TRACE_CONTEXT, 1) : fields;
        if (!requirement.isAny()) {
            own = own.with(Key.REQUIRED_TRANSPORTS, requirement.bits());
        }
        if (encryption.mode() != EncryptionMode.OFF) {
            own = own.with(Key.ENCRYPTION, encryption.toBytes());
        }
        return own.with(Key.UCX_VERSION, version).with(Key.ERROR_MODE, errorMode.ordinal())
                .with(Key.BYTE_ORDER, byteOrder == ByteOrder.BIG_ENDIAN ? 1 : 0)
                .with(Key.MAX_HEADER_BYTES, limits.maxHeaderBytes())
                .with(Key.MAX_MESSAGE_BYTES, limits.maxMessageBytes()).with(Key.MAX_STREAMS, limits.maxStreams())
                .with(Key.WINDOW_BYTES, limits.windowBytes()).with(Key.HEARTBEAT_MILLIS, heartbeatMillis)
                .with(Key.WORKER_ID, workerId).with(Key.PROCESS, ByteBuffer.allocate(Long.BYTES + Integer.BYTES)
                .putLong(process.namespace()).putInt(process.id()).array())
                .with(Key.LOCALITY, locality.toBytes());
    }

    /** Returns what the peer has sent, or null when a field is missing or has a wrong value. */
    public static @Nullable PeerInfo of(ControlFields fields) {
        if (!KEYS.stream().allMatch(fields::has)) {
            return null;
        }
        ByteBuffer version = fields.buffer(Key.UCX_VERSION);
        int mode = fields.buffer(Key.ERROR_MODE).get();
        int order = fields.buffer(Key.BYTE_ORDER).get();
        PeerLimits limits = new PeerLimits(fields.buffer(Key.MAX_HEADER_BYTES).getInt(),
                fields.buffer(Key.MAX_MESSAGE_BYTES).getLong(), fields.buffer(Key.MAX_STREAMS).getInt(),
                fields.buffer(Key.WINDOW_BYTES).getInt());
        int heartbeat = fields.buffer(Key.HEARTBEAT_MILLIS).getInt();
        byte[] wish = fields.bytes(Key.ENCRYPTION);
        EncryptionOffer encryption = wish == null ? EncryptionOffer.NONE : EncryptionOffer.of(wish);
        if (encryption == null || mode < 0 || mode >= ERROR_MODES.length || order < 0 || order > 1
                || limits.maxHeaderBytes() < 0
                || limits.maxMessageBytes() < 0 || limits.maxStreams() < 0 || heartbeat < 0
                || limits.windowBytes() < FlowControlConfig.MIN_WINDOW_BYTES
                || limits.windowBytes() > FlowControlConfig.MAX_WINDOW_BYTES) {
            return null;
        }
        UcxVersion ucxVersion = new UcxVersion(Short.toUnsignedInt(version.getShort()),
                Short.toUnsignedInt(version.getShort()), Short.toUnsignedInt(version.getShort()));
        return new PeerInfo(ucxVersion, ERROR_MODES[mode],
                order == 1 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN, limits, heartbeat,
                fields.buffer(Key.WORKER_ID).getLong(), process(fields), fields.has(Key.TRACE_CONTEXT),
                fields.has(Key.LOCALITY) ? Locality.of(fields.buffer(Key.LOCALITY)) : Locality.UNKNOWN,
                fields.has(Key.REQUIRED_TRANSPORTS)
                        ? TransportRequirement.ofBits(fields.buffer(Key.REQUIRED_TRANSPORTS).get())
                        : TransportRequirement.ANY, encryption);
    }

    /** Returns which process the peer says that it is. */
    public static ProcessIdentity process(ControlFields fields) {
        if (!fields.has(Key.PROCESS)) {
            return ProcessIdentity.UNKNOWN;
        }
        ByteBuffer process = fields.buffer(Key.PROCESS);
        return new ProcessIdentity(process.getLong(), process.getInt());
    }

    /** Returns a description of what differs and has to be the same on both sides, or null. */
    static @Nullable String mismatch(PeerInfo client, PeerInfo server) {
        if (client.errorMode != server.errorMode) {
            return mismatch("error mode", client.errorMode, server.errorMode);
        }
        EncryptionMode ofClient = client.encryption.mode();
        EncryptionMode ofServer = server.encryption.mode();
        if (ofClient != ofServer && (ofClient == EncryptionMode.OFF || ofServer == EncryptionMode.OFF)) {
            return mismatch("encryption of data", ofClient, ofServer);
        }
        if (client.requirement.and(server.requirement).kinds().isEmpty()) {
            return mismatch("required transport", client.requirement, server.requirement);
        }
        return client.byteOrder == server.byteOrder ? Locality.mismatch(client.locality, server.locality)
                : mismatch("byte order", client.byteOrder, server.byteOrder);
    }

    /** Returns a description of a mismatch that reads the same on both sides. */
    static String mismatch(String what, Object client, Object server) {
        return what + ": " + client + " at the client, " + server + " at the server";
    }

    /** Returns the heartbeat interval of a connection: the shorter of both sides' intervals, zero for none. */
    public static Duration heartbeat(PeerInfo one, PeerInfo other) {
        int shorter = one.heartbeatMillis == 0 || other.heartbeatMillis == 0
                ? Math.max(one.heartbeatMillis, other.heartbeatMillis)
                : Math.min(one.heartbeatMillis, other.heartbeatMillis);
        return Duration.ofMillis(shorter == 0 ? 0 : Math.max(shorter, ProtocolConfig.MIN_HEARTBEAT_MILLIS));
    }
}
