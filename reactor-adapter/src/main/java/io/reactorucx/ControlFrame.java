package io.reactorucx;

import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcxVersion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What framework peers tell each other on the reserved active message.
 *
 * <p>Layout, big-endian: magic {@code 0x52554358} (4 bytes), protocol version (1), type (1), error mode (1), UCX version (3 x 2), largest
 * header (4), nonce (8), size of the rest (4), the rest: a worker address in {@link Type#HELLO}, a reason in {@link Type#REJECT}. A peer
 * reads magic, version and type of any later version, so that it can refuse it in words.
 */
record ControlFrame(int protocolVersion, Type type, ErrorMode errorMode, UcxVersion ucxVersion, int maxHeaderBytes, long nonce, byte[] rest) {

    static final int PROTOCOL_VERSION = 1;

    private static final int MAGIC = 0x52554358;
    private static final int FIXED_BYTES = 4 + 1 + 1 + 1 + 3 * 2 + 4 + 8 + 4;
    private static final int MAX_REST_BYTES = 64 * 1024;

    /** No frame is larger. */
    static final int MAX_BYTES = FIXED_BYTES + MAX_REST_BYTES;

    /** The order is the protocol's: the ordinal travels. */
    enum Type { HELLO, WELCOME, REJECT, FIN, FIN_ACK }

    byte[] toBytes() {
        return ByteBuffer.allocate(FIXED_BYTES + rest.length).putInt(MAGIC).put((byte) protocolVersion).put((byte) type.ordinal())
                .put((byte) errorMode.ordinal()).putShort((short) ucxVersion.major()).putShort((short) ucxVersion.minor())
                .putShort((short) ucxVersion.release()).putInt(maxHeaderBytes).putLong(nonce).putInt(rest.length).put(rest).array();
    }

    /** The frame, or null when these bytes are none. */
    static @Nullable ControlFrame parse(MemorySegment bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes.toArray(ValueLayout.JAVA_BYTE));
        try {
            if (in.getInt() != MAGIC) {
                return null;
            }
            int version = Byte.toUnsignedInt(in.get());
            int type = in.get();
            if (version != PROTOCOL_VERSION && type == Type.HELLO.ordinal()) {
                return new ControlFrame(version, Type.HELLO, ErrorMode.PEER, UcxVersion.MINIMUM, 0, 0, new byte[0]);
            }
            int mode = in.get();
            UcxVersion ucx = new UcxVersion(in.getShort(), in.getShort(), in.getShort());
            int maxHeader = in.getInt();
            long nonce = in.getLong();
            int size = in.getInt();
            if (type < 0 || type >= Type.values().length || mode < 0 || mode >= ErrorMode.values().length || size < 0
                    || size > MAX_REST_BYTES || size != in.remaining()) {
                return null;
            }
            byte[] rest = new byte[size];
            in.get(rest);
            return new ControlFrame(version, Type.values()[type], ErrorMode.values()[mode], ucx, maxHeader, nonce, rest);
        } catch (BufferUnderflowException e) {
            return null;
        }
    }

    String reason() {
        return new String(rest, StandardCharsets.UTF_8);
    }
}
