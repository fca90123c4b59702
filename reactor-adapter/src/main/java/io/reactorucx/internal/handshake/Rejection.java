package io.reactorucx.internal.handshake;

import io.reactorucx.core.UcxException;
import io.reactorucx.core.UcxStatus;
import io.reactorucx.internal.frame.ControlFrame;
import org.jspecify.annotations.Nullable;

/**
 * The reason why a side rejects its peer.
 *
 * @param status tells whether a retry may succeed
 * @param reason the explanation
 */
public record Rejection(UcxStatus status, String reason) {

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

    /** Returns the REJECT that tells the peer. */
    public ControlFrame toFrame() {
        return ControlFrame.reject(status, reason);
    }

    public UcxException toException(String peer, @Nullable Throwable cause) {
        return new UcxException(status, "connect", peer, reason, cause);
    }
}
