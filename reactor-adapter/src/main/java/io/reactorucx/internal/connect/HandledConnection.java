package io.reactorucx.internal.connect;

import reactor.core.publisher.Mono;

/**
 * What the application does with an accepted connection.
 *
 * @param handled calls the application's handler when it is subscribed to, once, and ends when the handler has ended
 * @param windUp asks the handler to end
 */
public record HandledConnection(Mono<Void> handled, Runnable windUp) {
}
