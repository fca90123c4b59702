package io.reactorucx.transport.connect;

import java.util.function.Consumer;

/**
 * An accepted connection that the application's handler works on.
 *
 * @param handler is started once
 * @param windUp asks the handler to end
 */
public record HandledConnection(Handler handler, Runnable windUp) {

    /** A handler of the application. */
    @FunctionalInterface
    public interface Handler {

        /** Starts the handler, which tells its end by one of two callbacks; the result cancels it. */
        Runnable start(Runnable completed, Consumer<Throwable> failed);
    }
}
