package io.reactorucx.transport.connection;

import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.engine.OperationKind;
import org.jspecify.annotations.Nullable;

/**
 * Why a connection has ended: it was closed, unless it was lost before.
 *
 * <p>Thread: engine for writes, any for reads.
 */
public final class TerminationCause {

    private final String peer;
    private volatile @Nullable UcxException loss;
    private volatile @Nullable String detail;

    TerminationCause(String peer) {
        this.peer = peer;
    }

    /** Records a loss, unless one is recorded already. A close after that does not change it. */
    void lost(UcxException error, @Nullable String why) {
        if (loss == null) {
            detail = why;
            loss = error;
        }
    }

    /** Returns a loss as the error of one operation, with UCX's text for the status if there is no better one. */
    UcxException error(int rawStatus, @Nullable String why, String operation) {
        return why == null ? new UcxException(rawStatus, operation, peer)
                : new UcxException(UcxStatus.of(rawStatus), operation, peer, why);
    }

    /** Returns the loss, or null after a graceful close. */
    @Nullable UcxException loss() {
        return loss;
    }

    /** Returns the failure of the endpoint in place of an error by which UCX only reports a cancel. */
    RuntimeException explained(RuntimeException error, OperationKind kind, @Nullable UcpEndpoint endpoint) {
        if (endpoint != null && endpoint.failure() != 0 && error instanceof UcxException ucx
                && ucx.status() == UcxStatus.CANCELED
                && !(error instanceof UcxClosedException)) {
            return new UcxException(endpoint.failure(), kind.ucxName(), peer);
        }
        return error;
    }

    UcxClosedException closed(String operation) {
        return new UcxClosedException(operation, peer, "the connection is closed");
    }

    /** Returns the error of an operation that the end of the connection ends. */
    public UcxException reason(OperationKind kind) {
        UcxException lost = loss;
        return lost == null || lost instanceof UcxClosedException ? closed(kind.ucxName())
                : error(lost.rawStatus(), detail, kind.ucxName());
    }
}
