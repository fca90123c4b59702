package io.reactorucx.internal.frame;

import java.util.Arrays;
import java.util.List;

/**
 * The first payload of a stream that carries a request.
 *
 * <p>Layout, big-endian: kind of the response (1 byte), whether the request follows as the stream's first message (1),
 * the deadline in milliseconds from now, 0 for none (4), then the request itself unless it follows.
 *
 * @param answer the kind of response
 * @param follows whether the request is too large for the header
 * @param deadlineMillis time in which the response has to end, 0 for no limit
 * @param request the request, empty when it follows
 */
public record RequestHeader(Answer answer, boolean follows, int deadlineMillis, byte[] request) {

    public static final int FIXED_BYTES = 1 + 1 + 4;

    /** The kinds of response. Their order is part of the protocol: the ordinal travels. */
    public enum Answer {
        NONE, ONE, MANY, CHANNEL;

        private static final List<Answer> ALL = List.of(values());
    }

    public byte[] toBytes() {
        byte[] bytes = new byte[FIXED_BYTES + request.length];
        bytes[0] = (byte) answer.ordinal();
        bytes[1] = (byte) (follows ? 1 : 0);
        MessageFrameCodec.putInt(bytes, 2, deadlineMillis);
        System.arraycopy(request, 0, bytes, FIXED_BYTES, request.length);
        return bytes;
    }

    /** Returns whether a first payload is a small request for one response without a deadline, as most are. */
    public static boolean isForOneAtOnce(byte[] bytes, int offset, int length) {
        return length >= FIXED_BYTES && bytes[offset] == Answer.ONE.ordinal() && bytes[offset + 1] == 0
                && MessageFrameCodec.getInt(bytes, offset + 2) == 0;
    }

    /** Parses a header; fails with {@link ProtocolViolationException} if the bytes are none. */
    public static RequestHeader parse(byte[] bytes) {
        if (bytes.length < FIXED_BYTES) {
            throw new ProtocolViolationException("a request of " + bytes.length + " bytes, its header has "
                    + FIXED_BYTES);
        }
        int answer = bytes[0];
        int follows = bytes[1];
        int deadline = MessageFrameCodec.getInt(bytes, 2);
        if (answer < 0 || answer >= Answer.ALL.size() || follows < 0 || follows > 1 || deadline < 0) {
            throw new ProtocolViolationException("a request of kind " + answer + ", flag " + follows + ", deadline "
                    + deadline);
        }
        return new RequestHeader(Answer.ALL.get(answer), follows == 1, deadline,
                Arrays.copyOfRange(bytes, FIXED_BYTES, bytes.length));
    }
}
