package io.reactorucx.engine;

/**
 * The completion of an operation that could not be posted.
 *
 * @param operation the operation
 * @param error why
 */
record FailedPost(Operation operation, RuntimeException error) implements DeferredCompletion {

    @Override
    public void deliver() {
        operation.refused(error);
    }
}
