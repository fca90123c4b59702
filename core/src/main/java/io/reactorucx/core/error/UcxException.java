package io.reactorucx.core.error;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An operation that UCX or this library refused or could not finish, with the status, the operation and the peer. */
public class UcxException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** The wait for the next connection of a client that reconnects. */
    private static final String AWAIT_CONNECTION = "await_connection";
    /** The operations that make a connection or wait for one, and so do not need one. */
    private static final Set<String> CONNECTING = Set.of("connect", "acquire", AWAIT_CONNECTION);

    private final UcxStatus status;
    private final int rawStatus;
    private final String operation;
    private final @Nullable String peer;

    /**
     * An error that came as a status of the C library.
     *
     * @param rawStatus value of {@code ucs_status_t}
     * @param operation what was tried, in UCX's words ({@code am_send})
     * @param peer name of the other side, if there is one
     */
    public UcxException(int rawStatus, String operation, @Nullable String peer) {
        this(UcxStatus.of(rawStatus), rawStatus, operation, peer, null, null);
    }

    /**
     * An error that this library found.
     *
     * @param status the nearest status of UCX
     * @param operation what was tried
     * @param peer name of the other side, if there is one
     * @param detail what is wrong and which rule it breaks
     */
    public UcxException(UcxStatus status, String operation, @Nullable String peer, String detail) {
        this(status, status.code(), operation, peer, detail, null);
    }

    /**
     * An error that this library found, with its cause.
     *
     * @param status the nearest status of UCX
     * @param operation what was tried
     * @param peer name of the other side, if there is one
     * @param detail what is wrong and which rule it breaks
     * @param cause what led to it
     */
    public UcxException(UcxStatus status, String operation, @Nullable String peer, String detail,
            @Nullable Throwable cause) {
        this(status, status.code(), operation, peer, detail, cause);
    }

    private UcxException(UcxStatus status, int rawStatus, String operation, @Nullable String peer,
            @Nullable String detail,
            @Nullable Throwable cause) {
        super(message(status, rawStatus, operation, peer, detail), cause);
        this.status = status;
        this.rawStatus = rawStatus;
        this.operation = operation;
        this.peer = peer;
    }

    private static String message(UcxStatus status, int rawStatus, String operation, @Nullable String peer,
            @Nullable String detail) {
        return operation + (peer == null ? "" : " to " + peer) + ": " + status + " (" + rawStatus + "), "
                + (detail == null ? status.description() : detail);
    }

    /** {@return the status} */
    public final UcxStatus status() {
        return status;
    }

    /** {@return the number as the C library gave it} */
    public final int rawStatus() {
        return rawStatus;
    }

    /** {@return name of the operation} */
    public final String operation() {
        return operation;
    }

    /** {@return name of the other side, null when none is concerned} */
    public final @Nullable String peer() {
        return peer;
    }

    /**
     * {@return whether the same operation may succeed later: on the same connection, or as another attempt to connect,
     * or another wait for a connection, when the peer could not be reached in time}
     */
    public final boolean isRetryable() {
        return status.isRetryable() || CONNECTING.contains(operation)
                && (status.isConnectionLost() || status == UcxStatus.TIMED_OUT);
    }

    /**
     * {@return whether the connection is lost, so that only a new one helps; also when a client that reconnects has
     * none and cannot let the caller wait any longer}
     */
    public final boolean isConnectionLost() {
        return status.isConnectionLost() || operation.equals(AWAIT_CONNECTION)
                && (status == UcxStatus.TIMED_OUT || status == UcxStatus.EXCEEDS_LIMIT);
    }
}
