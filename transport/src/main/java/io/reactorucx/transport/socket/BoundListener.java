package io.reactorucx.transport.socket;

import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A listener that clients of a server connect to.
 *
 * <p>Thread: any.
 */
public interface BoundListener {

    InetSocketAddress address();

    /** Returns what fails when the listener has failed and is closed for that reason; else it never ends. */
    CompletableFuture<@Nullable Void> failure();

    /** Rejects new clients from now on. */
    CompletableFuture<@Nullable Void> refuse();

    /** Closes the listener, after the connections have been closed. */
    CompletableFuture<@Nullable Void> close();
}
