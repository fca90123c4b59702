package io.reactorucx.transport.handshake;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.transport.frame.ControlFrame;
import org.jspecify.annotations.Nullable;

/**
 * The reason why a side rejects its peer.
 *
 * @param status tells whether a retry may succeed
 * @param reason the explanation
 */
public record Rejection(UcxStatus status, String reason) {

    private static final String NO_ROOM = "the other side has no room for the endpoint: one of its limits, or this"
            + " side's share of it, is reached";

    public Rejection(String reason) {
        this(UcxStatus.REJECTED, reason);
    }

    /** Returns the rejection in a REJECT of the peer. */
    public static Rejection of(ControlFrame reject) {
        return new Rejection(reject.status(), reject.reason());
    }

    /** Returns the rejection if the bytes are a REJECT, else null. */
    public static @Nullable Rejection parse(byte[] frame) {
        ControlFrame parsed = ControlFrame.parse(frame);
        return parsed != null && parsed.type() == ControlFrame.Type.REJECT ? of(parsed) : null;
    }

    /**
     * Returns what a peer is told of the error for which it gets no endpoint: the rule, in words that say nothing of
     * this side's other peers, processes and files. The error itself is for this side's log. Null if the peer is told
     * nothing: the error is no refusal, and another attempt may succeed.
     */
    public static @Nullable Rejection ofRefusal(UcxException error) {
        return switch (error.status()) {
            case NO_RESOURCE, NO_MEMORY -> new Rejection(UcxStatus.NO_RESOURCE, NO_ROOM);
            case EXCEEDS_LIMIT -> new Rejection(UcxStatus.EXCEEDS_LIMIT, NO_ROOM);
            case INVALID_ADDR -> new Rejection(UcxStatus.INVALID_ADDR, "the other side does not take the address of"
                    + " this worker: it cannot be read, or names what this side cannot have there");
            case UNREACHABLE -> new Rejection(UcxStatus.UNREACHABLE, "the other side cannot reach this worker: no tcp"
                    + " port of its address answers there, and the shared memory is not that of a worker of this side");
            // Tells what the peer itself has sent.
            case REJECTED -> new Rejection(String.valueOf(error.getMessage()));
            default -> null;
        };
    }

    /** Returns the REJECT that tells the peer. */
    public ControlFrame toFrame() {
        return ControlFrame.reject(status, reason);
    }

    public UcxException toException(String peer, @Nullable Throwable cause) {
        return new UcxException(status, "connect", peer, reason, cause);
    }
}
