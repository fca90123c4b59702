package io.reactorucx.netty;

import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.DomainSocketChannel;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.PeerCredentials;
import io.reactorucx.netty.internal.LoopLinks;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A channel whose bytes go over UCX to a channel of a {@link UcxServerDomainSocketChannel} of this host. A Unix domain
 * socket beside it has the addresses, and tells of the peer's end. With {@link UcxChannelOption#PLAIN_TCP} the bytes go
 * over that socket.
 *
 * <p>It is connected when its socket is, as a {@link UcxSocketChannel}. File descriptors cannot be sent.
 *
 * <p><b>Threading:</b> as other channels of Netty; needs a loop of {@link UcxIoHandler}. <b>Ownership:</b> the caller
 * closes it. <b>Errors:</b> {@link IOException} by {@code exceptionCaught}, then the end of the channel.
 */
public final class UcxDomainSocketChannel extends AbstractUcxChannel implements DomainSocketChannel {

    private final EpollDomainSocketChannel socket;
    private final UcxDomainSocketChannelConfig config;

    /** A channel that is not connected. */
    public UcxDomainSocketChannel() {
        this(null, new EpollDomainSocketChannel(), null);
    }

    UcxDomainSocketChannel(@Nullable Channel parent, EpollDomainSocketChannel socket, @Nullable Boolean plain) {
        super(parent, socket);
        this.socket = socket;
        this.config = new UcxDomainSocketChannelConfig(this, socket.config(), plain, this::clearReadPending);
    }

    /** {@return the process at the other end of the socket, as it was when it connected or listened} */
    public PeerCredentials peerCredentials() throws IOException {
        return socket.peerCredentials();
    }

    /** {@return the descriptor of the socket, over which no byte of the channel goes unless the channel is plain} */
    @Override
    public FileDescriptor fd() {
        return socket.fd();
    }

    @Override
    InetSocketAddress hostOf(SocketAddress remote) {
        if (!(remote instanceof DomainSocketAddress)) {
            throw new IllegalArgumentException("remote " + remote + ": must be a DomainSocketAddress");
        }
        return host();
    }

    /** The rule for remotes is about addresses of hosts. */
    @Override
    boolean isPlain(SocketAddress remote, UcxPlainTcpConfig plain) {
        return false;
    }

    @Override
    InetSocketAddress host() {
        return new InetSocketAddress(LoopLinks.LOOPBACK, 0);
    }

    /** Nobody outside this host can connect to the socket, so nobody there may connect a link. */
    @Override
    InetAddress linkAddress() {
        return LoopLinks.LOOPBACK;
    }

    @Override
    InetAddress linkPeer() {
        return LoopLinks.LOOPBACK;
    }

    @Override
    public UcxDomainSocketChannelConfig config() {
        return config;
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
