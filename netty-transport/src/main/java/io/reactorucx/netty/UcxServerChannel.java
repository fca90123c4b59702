package io.reactorucx.netty;

import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.ServerSocketChannelConfig;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A server whose accepted channels go over UCX. It listens on a TCP socket, at which clients of
 * {@link UcxSocketChannel} connect; no byte of a channel goes over that socket, unless the channel is plain.
 *
 * <p><b>Threading:</b> as other channels of Netty; needs a loop of {@link UcxIoHandler}. <b>Ownership:</b> the caller
 * closes it. <b>Errors:</b> those of the socket.
 */
public final class UcxServerChannel extends AbstractUcxServerChannel implements ServerSocketChannel {

    /** A channel that is not bound. */
    public UcxServerChannel() {
        super(new EpollServerSocketChannel());
    }

    @Override
    Channel accepted(Object accepted, @Nullable Boolean plain) {
        return new UcxSocketChannel(this, (EpollSocketChannel) accepted, plain);
    }

    @Override
    public ServerSocketChannelConfig config() {
        return options();
    }

    @Override
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) super.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return (InetSocketAddress) super.remoteAddress();
    }
}
