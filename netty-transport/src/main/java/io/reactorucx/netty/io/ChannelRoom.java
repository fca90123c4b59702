package io.reactorucx.netty.io;

import io.netty.channel.Channel;
import io.reactorucx.transport.handshake.FairLimit;
import io.reactorucx.transport.handshake.PeerOrigin;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The room that an accepted channel takes of a limit, until it is given back or the socket has closed. The address of
 * the socket says who the client is; nothing else is known of it then.
 *
 * <p>Thread: loop.
 */
public final class ChannelRoom {

    private final FairLimit limit;
    private final PeerOrigin client;
    private boolean released;

    private ChannelRoom(FairLimit limit, PeerOrigin client) {
        this.limit = limit;
        this.client = client;
    }

    /** Takes room for one channel; null when the limit, or the client's share of it, has none. */
    public static @Nullable ChannelRoom take(Channel socket, FairLimit limit) {
        PeerOrigin client = socket.remoteAddress() instanceof InetSocketAddress remote ? PeerOrigin.of(remote)
                : PeerOrigin.UNKNOWN;
        if (limit.tryAcquire(client) != FairLimit.Outcome.ACQUIRED) {
            return null;
        }
        ChannelRoom room = new ChannelRoom(limit, client);
        socket.closeFuture().addListener(closed -> room.release());
        return room;
    }

    /** Gives the room back, once. */
    public void release() {
        if (!released) {
            released = true;
            limit.release(client);
        }
    }
}
