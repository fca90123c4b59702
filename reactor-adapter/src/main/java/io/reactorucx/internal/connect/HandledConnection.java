package io.reactorucx.internal.connect;

import reactor.core.publisher.Mono;

/**
 * What the application does with an accepted connection.
 *
 * @param handled ends when the application's handler has ended; subscribed to once
 * @param windUp asks the handler to end
 */
public record HandledConnection(Mono<Void> handled, Runnable windUp) {
}
