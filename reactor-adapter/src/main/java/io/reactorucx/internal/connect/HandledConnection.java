package io.reactorucx.internal.connect;

import reactor.core.publisher.Mono;

/**
 * An accepted connection that the application's handler works on.
 *
 * @param handled calls the handler at its subscription, and terminates with it; the server subscribes once
 * @param windUp asks the handler to end
 */
public record HandledConnection(Mono<Void> handled, Runnable windUp) {
}
