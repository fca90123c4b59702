package io.reactorucx.internal.operation;

import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.engine.OperationKind;
import io.reactorucx.engine.ProgressEngine;
import java.util.function.Consumer;

/**
 * What an operation needs of the connection that it belongs to.
 *
 * <p>Thread: engine, except where a method says otherwise.
 */
public interface OperationOwner {

    /** The engine that posts the operation. Thread: any. */
    ProgressEngine engine();

    /** The name of the peer, for errors. Thread: any. */
    String peer();

    /** Returns the endpoint for a new operation; throws once the end of the connection has begun. */
    UcpEndpoint endpointFor(OperationKind kind);

    /** UCX uses the operation's memory from now on. */
    void link(OperationSubscription<?> operation);

    /** UCX uses the operation's memory no more. */
    void unlink(OperationSubscription<?> operation);

    /** An operation has ended, which a close may wait for. */
    void operationEnded();

    /** Returns the error that the subscriber gets in place of UCX's. */
    RuntimeException explained(RuntimeException error, OperationKind kind);

    /** Runs an action on the engine's thread; nothing happens once the engine is closed. Thread: any. */
    void execute(Consumer<UcpWorker> action);
}
