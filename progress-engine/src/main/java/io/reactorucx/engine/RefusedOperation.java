package io.reactorucx.engine;

/**
 * An operation that could not be posted.
 *
 * @param operation the operation
 * @param error why
 */
record RefusedOperation(Operation operation, RuntimeException error) implements EndedOperation {

    @Override
    public void deliver() {
        operation.refused(error);
    }
}
