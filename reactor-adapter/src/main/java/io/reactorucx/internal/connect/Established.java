package io.reactorucx.internal.connect;

import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.internal.connection.ConnectionCore;
import io.reactorucx.internal.handshake.PeerInfo;
import org.jspecify.annotations.Nullable;

/**
 * A connection whose handshake is done.
 *
 * @param connection the connection
 * @param endpoint its endpoint
 * @param peer what the peer told about itself, null for a raw peer
 */
public record Established(ConnectionCore connection, UcpEndpoint endpoint, @Nullable PeerInfo peer) {
}
