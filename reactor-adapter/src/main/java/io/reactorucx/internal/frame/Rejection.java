package io.reactorucx.internal.frame;

import io.reactorucx.core.UcxException;
import io.reactorucx.core.UcxStatus;
import org.jspecify.annotations.Nullable;

/**
 * Why a side rejects its peer.
 *
 * @param status tells whether a retry may succeed
 * @param reason the explanation
 */
public record Rejection(UcxStatus status, String reason) {

    public Rejection(String reason) {
        this(UcxStatus.REJECTED, reason);
    }

    /** Returns a rejection that a peer has sent. Of its status only a retryable one is taken over. */
    public static Rejection ofPeer(int rawStatus, String reason) {
        UcxStatus status = UcxStatus.of(rawStatus);
        return new Rejection(status.isRetryable() ? status : UcxStatus.REJECTED,
                reason.isBlank() ? "no reason given" : ControlFrame.shown(reason));
    }

    public UcxException toException(String peer, @Nullable Throwable cause) {
        return new UcxException(status, "connect", peer, reason, cause);
    }
}
