package io.reactorucx.netty;

import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import org.jspecify.annotations.Nullable;

/**
 * A channel whose bytes go over UCX to a channel of a {@link UcxServerChannel}. A TCP socket beside it has the
 * addresses, and tells of the peer's end. With {@link UcxChannelOption#PLAIN_TCP} the bytes go over that socket.
 *
 * <p>It is connected when its socket is: that the peer is no such server, or that no link comes about, fails the
 * channel afterwards, with the reason.
 *
 * <p><b>Threading:</b> as other channels of Netty; needs a loop of {@link UcxIoHandler}. <b>Ownership:</b> the caller
 * closes it. <b>Errors:</b> {@link IOException} by {@code exceptionCaught}, then the end of the channel.
 */
public final class UcxSocketChannel extends AbstractUcxChannel implements SocketChannel {

    private final EpollSocketChannel socket;
    private final UcxSocketChannelConfig config;

    /** A channel that is not connected. */
    public UcxSocketChannel() {
        this(null, new EpollSocketChannel(), null);
    }

    UcxSocketChannel(@Nullable Channel parent, EpollSocketChannel socket, @Nullable Boolean plainTcp) {
        super(parent, socket);
        this.socket = socket;
        this.config = new UcxSocketChannelConfig(this, socket.config(), plainTcp, this::clearReadPending);
    }

    @Override
    InetSocketAddress hostOf(SocketAddress remote) {
        if (!(remote instanceof InetSocketAddress address)) {
            throw new IllegalArgumentException("remote " + remote + ": must be an InetSocketAddress");
        }
        if (address.isUnresolved()) {
            throw new UnresolvedAddressException();
        }
        return address;
    }

    @Override
    boolean isPlain(SocketAddress remote, UcxPlainTcpConfig plain) {
        return plain.remotes().test((InetSocketAddress) remote);
    }

    @Override
    InetSocketAddress host() {
        return socket.localAddress();
    }

    /** Returns the address of the server, also if that is the wildcard address. */
    @Override
    InetAddress linkAddress() {
        ServerSocketChannel server = parent();
        InetSocketAddress bound = server == null ? null : server.localAddress();
        return scoped(bound == null ? socket.localAddress().getAddress() : bound.getAddress());
    }

    @Override
    InetAddress linkPeer() {
        return scoped(socket.remoteAddress().getAddress());
    }

    /** Netty drops the device of a link-local address, without which nothing can be connected to it. */
    private InetAddress scoped(InetAddress peer) {
        try {
            NetworkInterface device = peer instanceof Inet6Address link && link.isLinkLocalAddress()
                    && link.getScopeId() == 0 ? NetworkInterface.getByInetAddress(socket.localAddress().getAddress())
                    : null;
            return device == null ? peer : Inet6Address.getByAddress(null, peer.getAddress(), device.getIndex());
        } catch (SocketException | UnknownHostException e) {
            return peer;
        }
    }

    @Override
    public UcxSocketChannelConfig config() {
        return config;
    }

    @Override
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) super.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return (InetSocketAddress) super.remoteAddress();
    }

    @Override
    public ServerSocketChannel parent() {
        return (ServerSocketChannel) super.parent();
    }
}
