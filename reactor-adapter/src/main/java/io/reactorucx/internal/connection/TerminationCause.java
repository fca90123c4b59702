package io.reactorucx.internal.connection;

import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcxClosedException;
import io.reactorucx.core.UcxException;
import io.reactorucx.core.UcxStatus;
import io.reactorucx.engine.OperationKind;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Why a connection ended: it was closed, unless it was lost before. Written on the engine's thread, read by any. */
public final class TerminationCause {

    private final String peer;
    private volatile @Nullable UcxException loss;
    private volatile @Nullable String detail;

    TerminationCause(String peer) {
        this.peer = peer;
    }

    /** From now on it is a loss, whatever somebody does in answer to it. */
    void lost(UcxException error, @Nullable String why) {
        if (loss == null) {
            detail = why;
            loss = error;
        }
    }

    /** A loss as it ends one operation, in UCX's words if there are no better ones. */
    UcxException error(int rawStatus, @Nullable String why, String operation) {
        return why == null ? new UcxException(rawStatus, operation, peer)
                : new UcxException(UcxStatus.of(rawStatus), operation, peer, why);
    }

    /** What was lost, null for an end in good order. */
    @Nullable UcxException loss() {
        return loss;
    }

    /** How a Flux ends: with the loss, else with an error if there is one. */
    <T> Mono<T> afterwards(@Nullable UcxException other) {
        UcxException lost = loss;
        return lost != null ? Mono.error(lost) : other != null ? Mono.error(other) : Mono.empty();
    }

    /** Says what an operation ended of: the failure of the endpoint where UCX only says that it was cancelled. */
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

    /** What an operation ends with. */
    public UcxException reason(OperationKind kind) {
        UcxException lost = loss;
        return lost == null || lost instanceof UcxClosedException ? closed(kind.ucxName())
                : error(lost.rawStatus(), detail, kind.ucxName());
    }
}
