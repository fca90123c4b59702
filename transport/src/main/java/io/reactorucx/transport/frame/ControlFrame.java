package io.reactorucx.transport.frame;

import io.reactorucx.core.error.UcxStatus;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A frame by which framework peers control their connection: handshake, heartbeat, refused messages, release, end.
 *
 * <p>Over an endpoint the receiver's token (8 bytes) comes before the frame, and before HELLO the sender's.
 *
 * <p>Layout, big-endian: magic {@code 0x52554358} (4 bytes), protocol version (1), type (1), {@link ControlFields}. Two
 * things are the same in all versions, so that any two peers can tell each other why they do not connect: the first 6
 * bytes, and the whole of a {@link Type#REJECT}, which is 6 bytes, 18 zero bytes, a status of UCX (1), the size of the
 * reason (4), the reason. Of another version only HELLO and REJECT are read.
 *
 * @param protocolVersion the version of the sender
 * @param type the type
 * @param fields the fields, empty for another version and in REJECT
 * @param status whether to try again, in REJECT: a retryable status or REJECTED; REJECTED in other frames
 * @param reason the reason in words, in REJECT: fit for a log and never blank; empty in other frames
 */
public record ControlFrame(int protocolVersion, Type type, ControlFields fields, UcxStatus status, String reason) {

    public static final int PROTOCOL_VERSION = 4;

    private static final int MAGIC = 0x52554358;
    private static final int HEAD_BYTES = 4 + 1 + 1;
    private static final int REJECT_UNUSED_BYTES = 18;
    private static final int REJECT_HEAD_BYTES = HEAD_BYTES + REJECT_UNUSED_BYTES + Byte.BYTES + Integer.BYTES;
    private static final int MAX_REASON_CHARACTERS = 500;

    /** The size of the largest frame. */
    public static final int MAX_BYTES = 64 * 1024;

    /**
     * The types, in the protocol's order: frames carry the ordinal. RELEASE and RELEASED travel over the control socket
     * only, see {@code EndpointRelease}. REFUSED tells by its number that an active message of the application, whose
     * data is still with its sender, will not be fetched; the data is released after it. REDIRECT answers HELLO over a
     * control socket in place of all else: the client has to connect to the address in it.
     */
    public enum Type {
        HELLO, WELCOME, REJECT, FIN, FIN_ACK, CHALLENGE, PROOF, READY, PING, RELEASE, RELEASED, REFUSED, REDIRECT
    }

    private static final Type[] TYPES = Type.values();

    public static ControlFrame of(Type type) {
        return of(type, ControlFields.NONE);
    }

    public static ControlFrame of(Type type, ControlFields fields) {
        return of(PROTOCOL_VERSION, type, fields);
    }

    private static ControlFrame of(int version, Type type, ControlFields fields) {
        return new ControlFrame(version, type, fields, UcxStatus.REJECTED, "");
    }

    /** Returns a REJECT. Of the status only whether to try again is kept, of the reason what fits a log. */
    public static ControlFrame reject(UcxStatus status, String reason) {
        return reject(PROTOCOL_VERSION, status, reason);
    }

    private static ControlFrame reject(int version, UcxStatus status, String reason) {
        return new ControlFrame(version, Type.REJECT, ControlFields.NONE,
                status.isRetryable() ? status : UcxStatus.REJECTED,
                reason.isBlank() ? "no reason given" : shown(reason));
    }

    public byte[] toBytes() {
        boolean reject = type == Type.REJECT;
        byte[] text = reason.getBytes(StandardCharsets.UTF_8);
        ByteBuffer out = ByteBuffer.allocate(reject ? REJECT_HEAD_BYTES + text.length
                : HEAD_BYTES + fields.encodedBytes());
        out.putInt(MAGIC).put((byte) protocolVersion).put((byte) type.ordinal());
        if (reject) {
            out.put(new byte[REJECT_UNUSED_BYTES]).put((byte) status.code()).putInt(text.length).put(text);
        } else {
            fields.encode(out);
        }
        return out.array();
    }

    public static @Nullable ControlFrame parse(MemorySegment bytes) {
        return bytes.byteSize() > MAX_BYTES ? null : parse(bytes.toArray(ValueLayout.JAVA_BYTE));
    }

    /** Returns the frame, or null when the bytes are not a control frame. */
    public static @Nullable ControlFrame parse(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        if (bytes.length < HEAD_BYTES || bytes.length > MAX_BYTES || in.getInt() != MAGIC) {
            return null;
        }
        int version = Byte.toUnsignedInt(in.get());
        int number = Byte.toUnsignedInt(in.get());
        if (number >= TYPES.length) {
            return null;
        }
        Type type = TYPES[number];
        if (type == Type.REJECT) {
            return rejection(version, in);
        }
        if (version != PROTOCOL_VERSION) {
            return type == Type.HELLO ? of(version, type, ControlFields.NONE) : null;
        }
        ControlFields fields = ControlFields.parse(in);
        return fields == null ? null : of(version, type, fields);
    }

    private static @Nullable ControlFrame rejection(int version, ByteBuffer in) {
        if (in.limit() < REJECT_HEAD_BYTES) {
            return null;
        }
        UcxStatus status = UcxStatus.of(in.position(HEAD_BYTES + REJECT_UNUSED_BYTES).get());
        return in.getInt() == in.remaining() ? reject(version, status, StandardCharsets.UTF_8.decode(in).toString())
                : null;
    }

    /** Returns text of a peer for a log: of a bounded length, on one line, without control characters. */
    public static String shown(String text) {
        StringBuilder shown = new StringBuilder();
        text.codePoints().limit(MAX_REASON_CHARACTERS)
                .forEach(c -> shown.appendCodePoint(isPrintable(c) ? c : '?'));
        return shown.toString();
    }

    private static boolean isPrintable(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE -> false;
            default -> true;
        };
    }
}
