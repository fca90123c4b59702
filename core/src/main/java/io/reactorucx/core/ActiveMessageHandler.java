package io.reactorucx.core;

/**
 * Receives the active messages of one id.
 *
 * <p><b>Threading:</b> the worker's thread, from {@link UcpWorker#progress()}, never from inside UCX. <b>Ownership:</b>
 * held data is the handler's to fetch or release; an inline message is its until it returns, or {@link
 * UcpActiveMessage#keep() kept}. <b>Errors:</b> should not throw; what it throws is logged and held data released.
 */
@FunctionalInterface
public interface ActiveMessageHandler {

    /**
     * A message has arrived.
     *
     * @param message the message
     */
    void onMessage(UcpActiveMessage message);
}
