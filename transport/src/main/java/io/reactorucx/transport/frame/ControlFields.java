package io.reactorucx.transport.frame;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a control frame. Each is a key (1 byte), a length (2 bytes) and that many bytes. Unknown fields are
 * skipped, so that later versions can add fields. Fields that were parsed are encoded to the bytes that they came from,
 * the unknown ones included, so that a digest of a frame is the same on both sides. Immutable: callers do not modify
 * the arrays.
 */
public final class ControlFields {

    public static final ControlFields NONE = new ControlFields(new EnumMap<>(Key.class), null);

    private static final int HEAD_BYTES = Byte.BYTES + Short.BYTES;

    private final Map<Key, byte[]> values;
    private final byte @Nullable [] parsed;

    private ControlFields(Map<Key, byte[]> values, byte @Nullable [] parsed) {
        this.values = values;
        this.parsed = parsed;
    }

    /** The keys; frames carry the number. */
    public enum Key {
        UCX_VERSION(1, 6, 6),
        ERROR_MODE(2, 1, 1),
        BYTE_ORDER(3, 1, 1),
        MAX_HEADER_BYTES(4, 4, 4),
        MAX_MESSAGE_BYTES(5, 8, 8),
        MAX_STREAMS(6, 4, 4),
        HEARTBEAT_MILLIS(7, 4, 4),
        WORKER_ID(8, 8, 8),
        TOKEN(9, 8, 8),
        AUTHENTICATION_METHOD(10, 1, 64),
        AUTHENTICATION(11, 0, 4096),
        WORKER_ADDRESS(12, 1, 48 * 1024),
        WINDOW_BYTES(13, 4, 4),
        WORKER_ADDRESS_DIGEST(14, 32, 32),
        WELCOME_DIGEST(15, 32, 32),
        MESSAGE_NUMBER(16, 4, 4),
        PROCESS(17, 12, 12),
        TRACE_CONTEXT(18, 1, 1),
        LOCALITY(19, 33, 33),
        NETWORK_ADDRESS_DIGEST(20, 32, 32),
        /** An address of IPv4 or IPv6 from which UCX of the sender connects. */
        UCX_SOURCE(21, 4, 16),
        /** A port (2 bytes), and an address of IPv4 or IPv6. */
        SOCKET_ADDRESS(22, 6, 18),
        /** A bit for each kind of transport that the sender's data may go over. */
        REQUIRED_TRANSPORTS(23, 1, 1),
        /** A bit for each kind of transport that the sender's endpoint has. */
        TAKEN_TRANSPORTS(24, 1, 1),
        /** The mode and the cipher of the data's encryption that the sender wants. */
        ENCRYPTION(25, 2, 2);

        private static final @Nullable Key[] BY_NUMBER = new @Nullable Key[256];

        static {
            for (Key key : values()) {
                BY_NUMBER[key.number] = key;
            }
        }

        private final int number;
        private final int minBytes;
        private final int maxBytes;

        Key(int number, int minBytes, int maxBytes) {
            this.number = number;
            this.minBytes = minBytes;
            this.maxBytes = maxBytes;
        }

        public int number() {
            return number;
        }

        public int maxBytes() {
            return maxBytes;
        }

        public boolean allows(int bytes) {
            return bytes >= minBytes && bytes <= maxBytes;
        }
    }

    /** Returns the fields up to the end of a buffer, or null when the bytes are none. */
    static @Nullable ControlFields parse(ByteBuffer in) {
        Map<Key, byte[]> values = new EnumMap<>(Key.class);
        BitSet seen = new BitSet(256);
        byte[] parsed = new byte[in.remaining()];
        in.get(in.position(), parsed);
        try {
            while (in.hasRemaining()) {
                int number = Byte.toUnsignedInt(in.get());
                int size = Short.toUnsignedInt(in.getShort());
                Key key = Key.BY_NUMBER[number];
                if (seen.get(number) || size > in.remaining() || (key != null && !key.allows(size))) {
                    return null;
                }
                seen.set(number);
                if (key == null) {
                    in.position(in.position() + size);
                } else {
                    byte[] value = new byte[size];
                    in.get(value);
                    values.put(key, value);
                }
            }
            return new ControlFields(values, parsed);
        } catch (BufferUnderflowException e) {
            return null;
        }
    }

    /** Returns a copy with one more field. */
    public ControlFields with(Key key, byte[] value) {
        if (!key.allows(value.length)) {
            throw new IllegalArgumentException(key + " of " + value.length + " bytes: must be in " + key.minBytes + ".."
                    + key.maxBytes);
        }
        Map<Key, byte[]> more = new EnumMap<>(Key.class);
        more.putAll(values);
        more.put(key, value);
        return new ControlFields(more, null);
    }

    /** Returns a copy without a field; the others stay as they are encoded. */
    public ControlFields without(Key key) {
        byte[] all = encoded();
        ByteBuffer in = ByteBuffer.wrap(all);
        ByteBuffer rest = ByteBuffer.allocate(all.length);
        while (in.hasRemaining()) {
            int start = in.position();
            int number = Byte.toUnsignedInt(in.get());
            int end = start + HEAD_BYTES + Short.toUnsignedInt(in.getShort());
            if (number != key.number) {
                rest.put(all, start, end - start);
            }
            in.position(end);
        }
        Map<Key, byte[]> fewer = new EnumMap<>(Key.class);
        fewer.putAll(values);
        fewer.remove(key);
        return new ControlFields(fewer, Arrays.copyOf(rest.array(), rest.position()));
    }

    public ControlFields with(Key key, long number) {
        ByteBuffer value = ByteBuffer.allocate(key.maxBytes);
        switch (key.maxBytes) {
            case Byte.BYTES -> value.put((byte) number);
            case Integer.BYTES -> value.putInt((int) number);
            case Long.BYTES -> value.putLong(number);
            default -> throw new IllegalArgumentException(key + " is no number");
        }
        return with(key, value.array());
    }

    public ControlFields with(Key key, String text) {
        return with(key, text.getBytes(StandardCharsets.UTF_8));
    }

    public boolean has(Key key) {
        return values.containsKey(key);
    }

    public boolean isEmpty() {
        return values.isEmpty();
    }

    /** Returns the bytes of a field, or null when it is missing. */
    public byte @Nullable [] bytes(Key key) {
        return values.get(key);
    }

    /** Returns a field that is present. */
    public ByteBuffer buffer(Key key) {
        return ByteBuffer.wrap(Objects.requireNonNull(values.get(key), key::name));
    }

    /** Returns the untrusted text of a field, or null when it is missing. For logs see {@link ControlFrame#shown}. */
    public @Nullable String text(Key key) {
        byte[] value = values.get(key);
        return value == null ? null : new String(value, StandardCharsets.UTF_8);
    }

    /** Returns whether there is this field and no other, known or not. */
    public boolean isOnly(Key key) {
        byte[] value = values.get(key);
        return value != null && encodedBytes() == HEAD_BYTES + value.length;
    }

    public int encodedBytes() {
        byte[] known = parsed;
        return known != null ? known.length
                : values.values().stream().mapToInt(value -> HEAD_BYTES + value.length).sum();
    }

    void encode(ByteBuffer out) {
        byte[] known = parsed;
        if (known != null) {
            out.put(known);
        } else {
            values.forEach((key, value) -> out.put((byte) key.number).putShort((short) value.length).put(value));
        }
    }

    private byte[] encoded() {
        ByteBuffer out = ByteBuffer.allocate(encodedBytes());
        encode(out);
        return out.array();
    }

    /** Returns the names only: a value may be a proof of a peer's identity. */
    @Override
    public String toString() {
        return values.keySet().toString();
    }
}
