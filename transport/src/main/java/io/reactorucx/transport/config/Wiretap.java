package io.reactorucx.transport.config;

import io.reactorucx.transport.WiretapFormat;
import io.reactorucx.transport.frame.ReservedMessageIds;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Logs what a connection sends and receives. Secrets are not shown: the token that each message begins with, keys of
 * windows and of pools, tokens of channels, and the frames of the handshake.
 *
 * <p>Thread: engine.
 */
public final class Wiretap {

    /** Default of the bytes of each message that are shown. */
    public static final int DEFAULT_BYTES = 256;

    private static final int MAX_BYTES = 64 << 10;
    private static final int LINE_BYTES = 16;
    /** The type of a frame of a channel; its first type, 0, is that with the token. */
    private static final int CHANNEL_TYPE_AT = 4;
    private static final HexFormat HEX = HexFormat.ofDelimiter(" ");

    private final Logger logger;
    private final Level level;
    private final WiretapFormat format;
    private final int maxBytes;
    private final UnaryOperator<byte[]> withoutKey;

    /**
     * Creates a wiretap.
     *
     * @param category the name of the logger
     * @param level the level of its lines
     * @param format what is shown of a message
     * @param maxBytes the bytes of each message that are shown, 0 to 65536
     * @param withoutKey removes the key of a window from the bytes of a header of served memory, and returns them
     */
    public Wiretap(String category, Level level, WiretapFormat format, int maxBytes,
            UnaryOperator<byte[]> withoutKey) {
        if (Objects.requireNonNull(category, "category").isBlank()) {
            throw new IllegalArgumentException("category '" + category + "': must not be blank");
        }
        if (maxBytes < 0 || maxBytes > MAX_BYTES) {
            throw new IllegalArgumentException("maxBytes " + maxBytes + ": must be in 0.." + MAX_BYTES);
        }
        this.logger = LoggerFactory.getLogger(category);
        this.level = Objects.requireNonNull(level, "level");
        this.format = Objects.requireNonNull(format, "format");
        this.maxBytes = maxBytes;
        this.withoutKey = withoutKey;
    }

    private boolean isEnabled() {
        return logger.isEnabledForLevel(level);
    }

    /** Logs an event that has no content. */
    public void event(String connection, String what) {
        if (isEnabled()) {
            logger.atLevel(level).log("[{}] {}", connection, what);
        }
    }

    /** Logs a message of a reserved id, whose header, or payload if it has none, begins with a token. */
    public void message(String connection, String direction, int id, MemorySegment header, MemorySegment payload) {
        if (isEnabled()) {
            MemorySegment head = header.byteSize() > 0 ? behindToken(header) : header;
            MemorySegment body = header.byteSize() > 0 ? payload : behindToken(payload);
            logger.atLevel(level).log("[{}] {} active message {}, header {} B, payload {} B{}{}", connection, direction,
                    id, head.byteSize(), body.byteSize(), shown(withoutSecrets(id, head)),
                    shown(hasSecretBody(id, head) ? MemorySegment.NULL : body));
        }
    }

    /** Logs an offer of a message, whose payload is still with the peer. */
    public void offer(String connection, int id, MemorySegment header, long bytes) {
        if (isEnabled()) {
            MemorySegment head = behindToken(header);
            logger.atLevel(level).log("[{}] received active message {}, header {} B, offer of {} B{}", connection, id,
                    head.byteSize(), bytes, shown(withoutSecrets(id, head)));
        }
    }

    private static MemorySegment behindToken(MemorySegment bytes) {
        return bytes.asSlice(Math.min(Long.BYTES, bytes.byteSize()));
    }

    /** Returns a header without the key of a window, or without all of it: an offer in it can have any header. */
    private MemorySegment withoutSecrets(int id, MemorySegment head) {
        return switch (id) {
            case ReservedMessageIds.MEMORY -> MemorySegment.ofArray(withoutKey.apply(
                    head.toArray(ValueLayout.JAVA_BYTE)));
            case ReservedMessageIds.MAPPED -> MemorySegment.NULL;
            default -> head;
        };
    }

    /** Returns whether the data is a key of a pool, or may be the token of a channel: that has no other such data. */
    private static boolean hasSecretBody(int id, MemorySegment head) {
        return id == ReservedMessageIds.MAPPED || id == ReservedMessageIds.CHANNELS
                && (head.byteSize() <= CHANNEL_TYPE_AT || head.get(ValueLayout.JAVA_BYTE, CHANNEL_TYPE_AT) == 0);
    }

    private String shown(MemorySegment bytes) {
        int length = (int) Math.min(maxBytes, bytes.byteSize());
        if (length == 0 || format == WiretapFormat.SIMPLE) {
            return "";
        }
        byte[] copy;
        try {
            copy = bytes.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
        } catch (IllegalStateException | WrongThreadException e) {
            // The send fails as well, with a better message.
            return "\n(memory that cannot be read: " + e.getMessage() + ")";
        }
        String more = length < bytes.byteSize() ? "\n... " + (bytes.byteSize() - length) + " B more" : "";
        return (format == WiretapFormat.HEX ? hex(copy) : "\n" + text(copy)) + more;
    }

    private static String hex(byte[] bytes) {
        StringBuilder lines = new StringBuilder();
        for (int from = 0; from < bytes.length; from += LINE_BYTES) {
            int to = Math.min(from + LINE_BYTES, bytes.length);
            lines.append('\n').append(HEX.toHexDigits((short) from)).append("  ")
                    .append(HEX.formatHex(bytes, from, to)).repeat(" ", 3 * (LINE_BYTES - (to - from)) + 2)
                    .append(text(new String(bytes, from, to - from, StandardCharsets.US_ASCII)));
        }
        return lines.toString();
    }

    private static String text(byte[] bytes) {
        return text(new String(bytes, StandardCharsets.UTF_8));
    }

    /** Replaces what could forge lines of the log, or is none of the content's characters. */
    private static String text(String characters) {
        StringBuilder text = new StringBuilder();
        characters.codePoints().map(c -> switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE, Character.PRIVATE_USE, Character.UNASSIGNED -> '.';
            default -> c == '\uFFFD' ? '.' : c;
        }).forEach(text::appendCodePoint);
        return text.toString();
    }
}
