package io.reactorucx.examples.dashboard;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.random.RandomGenerator;

/**
 * Where the peer listens.
 *
 * @param http port of HTTP over UCX
 * @param ucx port of the library's own protocol
 */
record PeerPorts(int http, int ucx) {

    /** Below the ports that Linux gives to clients: while the peer is away, no client may get its port. */
    private static final int FIRST = 20_000;
    private static final int LAST = 29_999;
    private static final int TRIES = 100;

    /** Two free ports, which stay the same when the peer starts again. */
    static PeerPorts free() {
        int http = freePort();
        int ucx = freePort();
        for (int i = 0; http == ucx && i < TRIES; i++) {
            ucx = freePort();
        }
        return new PeerPorts(http, ucx);
    }

    private static int freePort() {
        for (int i = 0; i < TRIES; i++) {
            int port = RandomGenerator.getDefault().nextInt(FIRST, LAST + 1);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException e) {
                // Taken: another one.
            }
        }
        throw new DashboardFailure("none of " + TRIES + " ports from " + FIRST + " to " + LAST + " is free");
    }
}
