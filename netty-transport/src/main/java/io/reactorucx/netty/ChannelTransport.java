package io.reactorucx.netty;

import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * How the bytes of a channel travel.
 *
 * <p>Thread: loop.
 */
sealed interface ChannelTransport permits StreamTransport, PlainTransport, UndecidedTransport {

    /** The transport of an accepted channel, null if the loop has as many channels as it may. */
    static @Nullable ChannelTransport ofServer(AbstractUcxChannel channel, DuplexChannel socket,
            UcxIoHandler handler) {
        return handler.config().acceptsPlain(channel.config().plainTcp())
                ? UndecidedTransport.of(channel, socket, handler) : StreamTransport.ofServer(channel, socket, handler);
    }

    /** The transport of a channel that connects to an address. */
    static ChannelTransport ofClient(AbstractUcxChannel channel, DuplexChannel socket, UcxIoHandler handler,
            SocketAddress remote) {
        Boolean option = channel.config().plainTcp();
        return (option == null ? channel.isPlain(remote, handler.config().plainTcp()) : option)
                ? PlainTransport.ofClient(channel, socket, handler.counters())
                : StreamTransport.ofClient(channel, socket, handler, channel.hostOf(remote));
    }

    /** The client's socket is connected. */
    void connected();

    /** The channel wants to read. */
    void beginRead();

    /** The channel wants to read no more. */
    void stopReading();

    /** Takes what there is room for of what the channel has flushed. */
    void write(ChannelOutboundBuffer out) throws Exception;

    void shutdownOutput() throws Exception;

    void shutdownInput(ChannelPromise promise);

    /**
     * The channel has closed and lingers: an action runs when the peer has what was written, or the time is over. It
     * calls {@link #close()}.
     */
    void linger(int seconds, Runnable whenOver);

    /** The channel has closed. */
    void close();
}
