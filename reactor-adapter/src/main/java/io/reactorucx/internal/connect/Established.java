package io.reactorucx.internal.connect;

import io.reactorucx.core.CloseMode;
import io.reactorucx.internal.connection.ConnectionCore;
import io.reactorucx.internal.handshake.PeerInfo;
import org.jspecify.annotations.Nullable;

/**
 * A connection whose handshake is done. It reaches its subscriber when that one requests it, on any thread.
 *
 * @param connection the connection
 * @param peer what the peer told about itself, null for a raw peer
 */
public record Established(ConnectionCore connection, @Nullable PeerInfo peer) {

    /** Closes the connection, which nobody has taken. */
    public void giveBack() {
        connection.close(CloseMode.FLUSH).subscribe();
    }
}
