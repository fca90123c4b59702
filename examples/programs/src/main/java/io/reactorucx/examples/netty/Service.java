package io.reactorucx.examples.netty;

/**
 * A server that listens.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> {@link #close()} ends it. <b>Errors:</b> none.
 *
 * @param port where it listens, on loopback
 * @param end ends it
 */
public record Service(int port, Runnable end) implements AutoCloseable {

    @Override
    public void close() {
        end.run();
    }
}
