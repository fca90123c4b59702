package io.reactorucx.message;

import java.util.HexFormat;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A trace context of the W3C, version 00: which trace a request belongs to, and which span has sent it. It travels in
 * the head of the request, in a fixed number of bytes and the bytes of the state.
 *
 * @param traceIdHigh the upper half of the trace's id; an id is not 0
 * @param traceIdLow the lower half
 * @param spanId the id of the sender's span, not 0
 * @param flags the flags, of which the lowest says that the trace is recorded
 * @param state what vendors have added ({@code tracestate}): at most {@value #MAX_STATE_LENGTH} printable characters
 *     of ASCII, empty for nothing
 */
public record TraceContext(long traceIdHigh, long traceIdLow, long spanId, byte flags, String state) {

    /** The largest length of a state. */
    public static final int MAX_STATE_LENGTH = 512;

    private static final int PARENT_LENGTH = 55;
    private static final HexFormat HEX = HexFormat.of();

    /** Checks the parts. */
    public TraceContext {
        Objects.requireNonNull(state, "state");
        if (traceIdHigh == 0 && traceIdLow == 0) {
            throw new IllegalArgumentException("traceId 0: must not be 0");
        }
        if (spanId == 0) {
            throw new IllegalArgumentException("spanId 0: must not be 0");
        }
        if (!isValidState(state)) {
            throw new IllegalArgumentException("state of " + state.length() + " characters: must be at most "
                    + MAX_STATE_LENGTH + " printable ones of ASCII");
        }
    }

    private static boolean isValidState(String state) {
        return state.length() <= MAX_STATE_LENGTH && state.chars().allMatch(c -> c >= ' ' && c <= '~');
    }

    /**
     * Reads the values of the W3C's headers. A state that does not fit is left out, as the W3C allows.
     *
     * @param parent the value of {@code traceparent}
     * @param state the value of {@code tracestate}, null for none
     * @return the context, null when the parent is none of version 00
     */
    public static @Nullable TraceContext parse(@Nullable String parent, @Nullable String state) {
        if (parent == null || parent.length() != PARENT_LENGTH || !parent.startsWith("00-") || parent.charAt(35) != '-'
                || parent.charAt(52) != '-' || !parent.equals(parent.toLowerCase(Locale.ROOT))) {
            return null;
        }
        try {
            long high = HexFormat.fromHexDigitsToLong(parent, 3, 19);
            long low = HexFormat.fromHexDigitsToLong(parent, 19, 35);
            long span = HexFormat.fromHexDigitsToLong(parent, 36, 52);
            byte flags = (byte) HexFormat.fromHexDigits(parent, 53, 55);
            return (high == 0 && low == 0) || span == 0 ? null
                    : new TraceContext(high, low, span, flags, state == null || !isValidState(state) ? "" : state);
        } catch (IllegalArgumentException e) {
            // Not hexadecimal.
            return null;
        }
    }

    /** {@return the value of {@code traceparent}} */
    public String parent() {
        return "00-" + HEX.toHexDigits(traceIdHigh) + HEX.toHexDigits(traceIdLow) + "-" + HEX.toHexDigits(spanId) + "-"
                + HEX.toHexDigits(flags);
    }
}
