package io.reactorucx.core.internal.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.Ucx;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which sockets of this process are found by their port. */
class ListeningSocketTest {

    @BeforeEach
    void assumeUcx() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
    }

    @Test
    void findsTheSocketsOfAllAddressesOfAPort() throws IOException {
        try (ServerSocket first = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
                ServerSocket second = new ServerSocket(first.getLocalPort(), 1, InetAddress.getByName("127.0.0.2"));
                ServerSocket other = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            assertThat(ListeningSocket.onPort(first.getLocalPort())).map(ListeningSocket::address)
                    .containsExactlyInAnyOrder((InetSocketAddress) first.getLocalSocketAddress(),
                            (InetSocketAddress) second.getLocalSocketAddress());
            assertThat(ListeningSocket.onPort(other.getLocalPort())).hasSize(1);
        }
    }

    @Test
    void findsNoSocketThatIsConnectedOrOfAnotherProtocol() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
                Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
                Socket accepted = server.accept();
                DatagramSocket datagrams = new DatagramSocket(
                        new InetSocketAddress("127.0.0.1", client.getLocalPort()))) {
            assertThat(accepted.getLocalPort()).isEqualTo(server.getLocalPort());
            assertThat(ListeningSocket.onPort(server.getLocalPort())).hasSize(1);
            assertThat(ListeningSocket.onPort(datagrams.getLocalPort())).isEmpty();
        }
    }
}
