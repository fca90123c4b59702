package io.reactorucx.connection;

/**
 * The servers, connection pools and reconnecting connections of some resources: counts since the start, and amounts
 * now.
 *
 * @param serverConnections connections that servers have accepted and that are open
 * @param maxServerConnections maximum number of connections of all servers
 * @param largestClient connections of the client that has the most at one server
 * @param maxConnectionsPerClient how many connections one client can have, at the server where those are fewest
 * @param rejectedConnections clients that a server rejected because it had enough connections, or was stopping
 * @param reconnects lost connections that were replaced
 * @param pendingReconnects subscribers that wait for a lost connection to be replaced
 * @param acquiredConnections connections that pools have lent, or are making
 * @param idleConnections connections in pools that are not lent
 * @param pendingAcquires subscribers that wait for a connection of a pool
 * @param maxPooledConnections maximum number of connections of all pools
 */
public record ConnectionStatistics(int serverConnections, int maxServerConnections, int largestClient,
        int maxConnectionsPerClient, long rejectedConnections, long reconnects, int pendingReconnects,
        int acquiredConnections, int idleConnections, int pendingAcquires, int maxPooledConnections) {
}
