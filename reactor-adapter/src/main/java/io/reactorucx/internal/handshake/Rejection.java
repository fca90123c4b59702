package io.reactorucx.internal.handshake;

import io.reactorucx.core.UcxException;
import io.reactorucx.core.UcxStatus;
import io.reactorucx.internal.frame.ControlFrame;
import org.jspecify.annotations.Nullable;

/**
 * Why a side does not take its peer.
 *
 * @param status whether to try again
 * @param reason in words
 */
public record Rejection(UcxStatus status, String reason) {

    public Rejection(String reason) {
        this(UcxStatus.REJECTED, reason);
    }

    /** What came from a peer, who is believed about nothing but whether to try again. */
    public static Rejection ofPeer(int rawStatus, String reason) {
        UcxStatus status = UcxStatus.of(rawStatus);
        return new Rejection(status.isRetryable() ? status : UcxStatus.REJECTED,
                reason.isBlank() ? "no reason given" : ControlFrame.shown(reason));
    }

    public UcxException toException(String peer, @Nullable Throwable cause) {
        return new UcxException(status, "connect", peer, reason, cause);
    }
}
