package io.reactorucx.core;

import io.reactorucx.core.error.UcxStatus;

/**
 * Called once with the outcome of an operation that UCX did not finish within the call.
 *
 * <p><b>Threading:</b> the worker's thread, from {@link UcpWorker#progress()}, never from inside UCX.
 * <b>Ownership:</b> from here on UCX does not touch the operation's memory any more.
 * <b>Errors:</b> should not throw; what it throws is logged.
 */
@FunctionalInterface
public interface Completion {

    /**
     * The operation has ended.
     *
     * @param rawStatus 0 for success, else a status code below 0 ({@link UcxStatus#of(int)})
     * @param length bytes received, for a receive that succeeded; the length that the sender had, when it was
     *     truncated; else 0
     * @param senderTag tag of the message, for a tag receive that succeeded; else 0
     */
    void complete(int rawStatus, long length, long senderTag);
}
