package io.reactorucx.internal.mapped;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.internal.frame.MappedFrame;
import io.reactorucx.transport.buffer.BufferPool;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.connection.ProtocolHandler;
import io.reactorucx.transport.frame.ProtocolViolationException;
import io.reactorucx.transport.handshake.PeerInfo;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Large messages of one connection that its two processes hand over in mapped memory.
 *
 * <p>Thread: engine.
 */
final class MappedProtocol implements ProtocolHandler {

    private static final Logger LOG = LoggerFactory.getLogger(MappedProtocol.class);

    private final ConnectionCore connection;
    private final MappedFrameSender frames;
    private final MappedSender sender;
    private final MappedReceiver receiver;
    private final boolean sharing;

    MappedProtocol(ConnectionCore connection, BufferPool pool, PeerSlabs peerSlabs) {
        this.connection = connection;
        this.sharing = pool.isSharing();
        this.frames = new MappedFrameSender(connection);
        this.sender = new MappedSender(connection, pool, peerSlabs.limit(), frames);
        this.receiver = new MappedReceiver(connection, peerSlabs, frames);
    }

    /** Where UCX uses the network, the peer is on another host, or the application wants the network. */
    @Override
    public void connected(PeerInfo peer) {
        receiver.connected(peer.process());
        if (sharing && connection.carrier().sharesQueue()) {
            connection.largeMessages().use(sender);
        }
    }

    @Override
    public void received(UcpActiveMessage message) {
        try {
            switch (MappedFrame.parse(message)) {
                case null -> throw new ProtocolViolationException("a message on id " + message.id()
                        + " that is none of the protocol");
                case MappedFrame.Slab slab -> receiver.slabOffered(slab);
                case MappedFrame.SlabAnswer answer -> sender.slabAnswered(answer.slab(), answer.isMapped());
                case MappedFrame.SlabGone gone -> receiver.slabGone(gone.slab());
                case MappedFrame.Offer offer -> receiver.offered(offer, message);
                case MappedFrame.Taken taken -> sender.taken(taken.number());
            }
        } catch (ProtocolViolationException e) {
            connection.registry().dropGarbage(message);
            LOG.debug("[{}] closed by force: {}", connection.name(), e.getMessage());
            connection.beginClose(CloseMode.FORCE);
        }
    }

    @Override
    public boolean isQuiet() {
        return sender.isQuiet() && frames.isQuiet();
    }

    @Override
    public boolean isConsumed() {
        return frames.isQuiet();
    }

    @Override
    public void ended(@Nullable UcxException loss) {
        frames.ended();
        receiver.ended();
        sender.ended();
    }
}
