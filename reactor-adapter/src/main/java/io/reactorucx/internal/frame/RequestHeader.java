package io.reactorucx.internal.frame;

import io.reactorucx.message.TraceContext;
import io.reactorucx.transport.frame.ControlFields;
import io.reactorucx.transport.frame.FrameBytes;
import io.reactorucx.transport.frame.ProtocolViolationException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The first payload of a stream that carries a request.
 *
 * <p>Layout, big-endian: kind of the response (1 byte), flags (1): 1 if the request follows as the stream's first
 * message, 2 if there is a trace context, 4 if the request follows at once, for which the peer gives no credit; the
 * deadline in milliseconds from now, 0 for none (4); the trace context if there is one: trace id (16), span id (8),
 * flags (1), length of the state (2), state; then the request itself unless it follows. Only peers that have announced
 * {@link ControlFields.Key#TRACE_CONTEXT} get one.
 *
 * @param answer the kind of response
 * @param follows whether the request is too large for the header
 * @param atOnce whether it follows without the peer's credit
 * @param deadlineMillis time in which the response has to end, 0 for no limit
 * @param trace what the requester traces, null for nothing
 * @param request the request, empty when it follows
 */
public record RequestHeader(Answer answer, boolean follows, boolean atOnce, int deadlineMillis,
        @Nullable TraceContext trace, byte[] request) {

    public static final int FIXED_BYTES = 1 + 1 + 4;

    private static final int TRACE_FIXED_BYTES = 16 + 8 + 1 + 2;
    private static final int FOLLOWS = 1;
    private static final int TRACE = 2;
    private static final int AT_ONCE = 4;

    /** The kinds of response. Their order is part of the protocol: the ordinal travels. */
    public enum Answer {
        NONE, ONE, MANY, CHANNEL;

        private static final List<Answer> ALL = List.of(values());
    }

    /** Creates a header without a trace context. */
    public RequestHeader(Answer answer, boolean follows, int deadlineMillis, byte[] request) {
        this(answer, follows, false, deadlineMillis, null, request);
    }

    /** Returns how many bytes precede the request. */
    public static int bytesBefore(@Nullable TraceContext trace) {
        return FIXED_BYTES + (trace == null ? 0 : TRACE_FIXED_BYTES + trace.state().length());
    }

    public byte[] toBytes() {
        int before = bytesBefore(trace);
        byte[] bytes = new byte[before + request.length];
        bytes[0] = (byte) answer.ordinal();
        bytes[1] = (byte) ((follows ? FOLLOWS : 0) | (trace == null ? 0 : TRACE) | (atOnce ? AT_ONCE : 0));
        FrameBytes.putInt(bytes, 2, deadlineMillis);
        if (trace != null) {
            put(bytes, trace);
        }
        System.arraycopy(request, 0, bytes, before, request.length);
        return bytes;
    }

    private static void put(byte[] bytes, TraceContext trace) {
        byte[] state = trace.state().getBytes(StandardCharsets.US_ASCII);
        FrameBytes.putLong(bytes, FIXED_BYTES, trace.traceIdHigh());
        FrameBytes.putLong(bytes, FIXED_BYTES + 8, trace.traceIdLow());
        FrameBytes.putLong(bytes, FIXED_BYTES + 16, trace.spanId());
        bytes[FIXED_BYTES + 24] = trace.flags();
        bytes[FIXED_BYTES + 25] = (byte) (state.length >>> 8);
        bytes[FIXED_BYTES + 26] = (byte) state.length;
        System.arraycopy(state, 0, bytes, FIXED_BYTES + TRACE_FIXED_BYTES, state.length);
    }

    /** Returns whether a first payload is a small request for one response without a deadline, as most are. */
    public static boolean isForOneAtOnce(byte[] bytes, int offset, int length) {
        return length >= FIXED_BYTES && bytes[offset] == Answer.ONE.ordinal() && bytes[offset + 1] == 0
                && FrameBytes.getInt(bytes, offset + 2) == 0;
    }

    /** Parses a header; fails with {@link ProtocolViolationException} if the bytes are none. */
    public static RequestHeader parse(byte[] bytes) {
        if (bytes.length < FIXED_BYTES) {
            throw new ProtocolViolationException("a request of " + bytes.length + " bytes, its header has "
                    + FIXED_BYTES);
        }
        int answer = bytes[0];
        int flags = bytes[1];
        int deadline = FrameBytes.getInt(bytes, 2);
        boolean atOnce = (flags & AT_ONCE) != 0;
        if (answer < 0 || answer >= Answer.ALL.size() || (flags & ~(FOLLOWS | TRACE | AT_ONCE)) != 0 || deadline < 0
                || atOnce && (flags & FOLLOWS) == 0) {
            throw new ProtocolViolationException("a request of kind " + answer + ", flags " + flags + ", deadline "
                    + deadline);
        }
        TraceContext trace = (flags & TRACE) == 0 ? null : trace(bytes);
        return new RequestHeader(Answer.ALL.get(answer), (flags & FOLLOWS) != 0, atOnce, deadline, trace,
                Arrays.copyOfRange(bytes, bytesBefore(trace), bytes.length));
    }

    private static TraceContext trace(byte[] bytes) {
        int fixed = FIXED_BYTES + TRACE_FIXED_BYTES;
        if (bytes.length < fixed) {
            throw new ProtocolViolationException("a request of " + bytes.length + " bytes, its trace context needs "
                    + fixed);
        }
        int length = Byte.toUnsignedInt(bytes[fixed - 2]) << 8 | Byte.toUnsignedInt(bytes[fixed - 1]);
        if (length > Math.min(TraceContext.MAX_STATE_LENGTH, bytes.length - fixed)) {
            throw new ProtocolViolationException("a state of " + length + " bytes in the trace context of a request of "
                    + bytes.length);
        }
        try {
            return new TraceContext(FrameBytes.getLong(bytes, FIXED_BYTES),
                    FrameBytes.getLong(bytes, FIXED_BYTES + 8),
                    FrameBytes.getLong(bytes, FIXED_BYTES + 16), bytes[FIXED_BYTES + 24],
                    new String(bytes, fixed, length, StandardCharsets.ISO_8859_1));
        } catch (IllegalArgumentException e) {
            throw new ProtocolViolationException("the trace context of a request: " + e.getMessage());
        }
    }
}
