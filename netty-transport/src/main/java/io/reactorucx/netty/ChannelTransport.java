package io.reactorucx.netty;

import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * How the bytes of a channel travel.
 *
 * <p>Thread: loop.
 */
sealed interface ChannelTransport permits StreamTransport, PlainTransport, UndecidedTransport {

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

    /** Returns what calls {@link #close()} once the linger time of the channel allows it, null for at once. */
    @Nullable Executor closing();

    /** The channel has closed. */
    void close();
}
