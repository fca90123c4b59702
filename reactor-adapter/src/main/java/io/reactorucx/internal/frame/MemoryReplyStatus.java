package io.reactorucx.internal.frame;

import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.engine.OperationKind;

/** The status in a memory owner's reply, in the protocol's order: frames carry the ordinal. */
public enum MemoryReplyStatus {
    OK(UcxStatus.OK, ""),
    /** Also for a window that is revoked, or of another connection: a peer without a key learns nothing. */
    NO_WINDOW(UcxStatus.INVALID_ADDR, "the peer exports no such window to this connection, or not any more"),
    NO_RIGHT(UcxStatus.REJECTED, "the peer's window does not give the right to do this"),
    OUT_OF_BOUNDS(UcxStatus.OUT_OF_RANGE, "the range is not within the peer's window"),
    MISALIGNED(UcxStatus.INVALID_PARAM, "the word is not aligned in the peer's memory"),
    BUSY(UcxStatus.NO_RESOURCE, "the peer has no room for one more operation"),
    FAILED(UcxStatus.IO_ERROR, "the peer could not move the data"),
    CLOSING(UcxStatus.CANCELED, "the peer is closing the connection");

    private final UcxStatus status;
    private final String detail;

    MemoryReplyStatus(UcxStatus status, String detail) {
        this.status = status;
        this.detail = detail;
    }

    public UcxException error(OperationKind kind, String peer) {
        return this == CLOSING ? new UcxClosedException(kind.ucxName(), peer, detail)
                : new UcxException(status, kind.ucxName(), peer, detail);
    }
}
