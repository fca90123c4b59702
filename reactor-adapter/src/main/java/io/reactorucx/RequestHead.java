package io.reactorucx;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * What a stream opens with when it carries a request.
 *
 * <p>Layout, big-endian: kind of the answer (1 byte), whether the request comes as the stream's first message (1), the deadline in
 * milliseconds from now, 0 for none (4), else the request itself.
 *
 * @param answer what is asked for
 * @param follows whether the request is too large for this place
 * @param deadlineMillis how long whoever answers has, 0 for as long as it takes
 * @param request the request, empty when it follows
 */
record RequestHead(Answer answer, boolean follows, int deadlineMillis, byte[] request) {

    static final int FIXED_BYTES = 1 + 1 + 4;

    /** The order is the protocol's: the ordinal travels. */
    enum Answer { NONE, ONE, MANY, CHANNEL }

    byte[] toBytes() {
        return ByteBuffer.allocate(FIXED_BYTES + request.length).put((byte) answer.ordinal()).put((byte) (follows ? 1 : 0))
                .putInt(deadlineMillis).put(request).array();
    }

    /** The head; {@link BadFrameException} when these bytes are none. */
    static RequestHead parse(byte[] bytes) {
        if (bytes.length < FIXED_BYTES) {
            throw new BadFrameException("a request of " + bytes.length + " bytes, its head has " + FIXED_BYTES);
        }
        ByteBuffer in = ByteBuffer.wrap(bytes);
        int answer = in.get();
        int follows = in.get();
        int deadline = in.getInt();
        if (answer < 0 || answer >= Answer.values().length || follows < 0 || follows > 1 || deadline < 0) {
            throw new BadFrameException("a request of kind " + answer + ", flag " + follows + ", deadline " + deadline);
        }
        return new RequestHead(Answer.values()[answer], follows == 1, deadline, Arrays.copyOfRange(bytes, FIXED_BYTES, bytes.length));
    }
}
