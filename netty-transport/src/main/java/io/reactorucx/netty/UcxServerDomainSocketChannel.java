package io.reactorucx.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.ServerDomainSocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * A server whose accepted channels go over UCX. It listens on a Unix domain socket, at which clients of
 * {@link UcxDomainSocketChannel} of this host connect; no byte of a channel goes over that socket, unless the channel
 * is plain.
 *
 * <p>As with epoll, a bind replaces the file at the path, and a close removes it.
 *
 * <p><b>Threading:</b> as other channels of Netty; needs a loop of {@link UcxIoHandler}. <b>Ownership:</b> the caller
 * closes it. <b>Errors:</b> those of the socket.
 */
public final class UcxServerDomainSocketChannel extends AbstractUcxServerChannel
        implements ServerDomainSocketChannel {

    private final EpollServerDomainSocketChannel socket;

    /** A channel that is not bound. */
    public UcxServerDomainSocketChannel() {
        this(new EpollServerDomainSocketChannel());
    }

    private UcxServerDomainSocketChannel(EpollServerDomainSocketChannel socket) {
        super(socket);
        this.socket = socket;
    }

    @Override
    Channel accepted(Object accepted, @Nullable Boolean plain) {
        return new UcxDomainSocketChannel(this, (EpollDomainSocketChannel) accepted, plain);
    }

    @Override
    public ChannelConfig config() {
        return options();
    }

    /** {@return the descriptor of the socket} */
    @Override
    public FileDescriptor fd() {
        return socket.fd();
    }

    @Override
    public DomainSocketAddress localAddress() {
        return (DomainSocketAddress) super.localAddress();
    }

    @Override
    public DomainSocketAddress remoteAddress() {
        return (DomainSocketAddress) super.remoteAddress();
    }
}
