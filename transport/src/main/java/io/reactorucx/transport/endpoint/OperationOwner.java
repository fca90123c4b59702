package io.reactorucx.transport.endpoint;

import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.engine.OperationKind;
import java.util.function.Consumer;

/**
 * The connection that an operation belongs to, as far as the operation needs it.
 *
 * <p>Thread: engine, except where a method says otherwise.
 */
public interface OperationOwner {

    /** Returns the engine that posts the operation. Thread: any. */
    ProgressEngine progressEngine();

    /** Returns the name of the peer, for errors. Thread: any. */
    String peer();

    /** Returns the endpoint for a new operation; throws once the end of the connection has begun. */
    UcpEndpoint endpointFor(OperationKind kind);

    /** Adds an operation in flight: UCX uses its memory. */
    void link(InFlightOperation operation);

    /** Removes an operation that is no longer in flight. */
    void unlink(InFlightOperation operation);

    /** An operation has ended: a close that waits for it goes on. */
    void operationEnded();

    /** Returns the error that the subscriber gets in place of UCX's. */
    RuntimeException explained(RuntimeException error, OperationKind kind);

    /** Runs an action on the engine's thread, unless the engine is closed. Thread: any. */
    void execute(Consumer<UcpWorker> action);

    /** As {@link #execute}, for an action that ends something: it may overtake what was submitted before. */
    void executeUrgent(Consumer<UcpWorker> action);
}
