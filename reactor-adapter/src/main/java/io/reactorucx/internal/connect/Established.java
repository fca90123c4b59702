package io.reactorucx.internal.connect;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcxException;
import io.reactorucx.internal.connection.ConnectionCore;
import io.reactorucx.internal.handshake.PeerInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A connection whose handshake is done. It reaches its subscriber when that one requests it, on any thread.
 *
 * @param connection the connection
 * @param transports those of its endpoint
 * @param peer what the peer told about itself, null for a raw peer
 */
public record Established(ConnectionCore connection, List<String> transports, @Nullable PeerInfo peer) {

    /** Closes the connection, which nobody has taken. */
    public void giveBack() {
        connection.close(CloseMode.FLUSH).subscribe();
    }

    /** Makes one on the engine's thread. */
    static Established of(ConnectionCore connection, UcpEndpoint endpoint, @Nullable PeerInfo peer) {
        try {
            return new Established(connection, endpoint.transports(), peer);
        } catch (UcxException e) {
            // The endpoint has failed meanwhile, which the connection is about to learn.
            return new Established(connection, List.of(), peer);
        }
    }
}
