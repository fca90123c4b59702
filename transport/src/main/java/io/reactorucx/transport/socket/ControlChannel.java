package io.reactorucx.transport.socket;

/**
 * What carries control frames beside the carrier of a connection: a {@link ControlSocket}, or a simulation in memory.
 *
 * <p>Thread: any.
 */
public interface ControlChannel {

    /** Sends a frame behind those before it; does nothing once the channel has ended. */
    void send(byte[] frame);

    /** Ends the channel, which the peer learns. */
    void close();
}
