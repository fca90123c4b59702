package io.reactorucx.netty;

import io.netty.channel.ChannelOption;

/**
 * Options of channels that Netty does not have.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> none. <b>Errors:</b> none.
 */
public final class UcxChannelOption {

    /**
     * Whether a channel may use, or uses, plain TCP; the default is what {@link UcxNettyConfig#plainTcp()} says.
     *
     * <p>A client's channel with {@code true} is a channel of its socket, without UCX. A server's channels with
     * {@code true} are, each according to its peer, channels of UCX or of their socket: as {@code option} of the
     * server for all that it accepts, as {@code childOption} for those of a bootstrap. {@code true} at a server is
     * refused where the loops have an authenticator: the server is not bound, or the accepted channel not registered.
     * Unix domain sockets have it, too: a plain channel is one of its domain socket.
     */
    public static final ChannelOption<Boolean> PLAIN_TCP = ChannelOption.valueOf(UcxChannelOption.class, "PLAIN_TCP");

    private UcxChannelOption() {
    }
}
