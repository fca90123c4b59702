package io.reactorucx.core.internal.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.Ucx;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who can connect to a listening socket that has a filter. */
@Tag("slow")
class SocketFilterTest {

    @BeforeEach
    void assumeUcx() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.1, 10.0.0.1", "::1, fe80::1"})
    void admitsOnlyItsSources(String ownAddress, String otherAddress) throws IOException {
        InetAddress own = InetAddress.getByName(ownAddress);
        InetAddress other = InetAddress.getByName(otherAddress);
        assumeTrue(NetworkInterface.getByInetAddress(own) != null, "this host has no " + own);
        ListeningSocket socket;
        try (ServerSocket server = new ServerSocket()) {
            server.bind(new InetSocketAddress(own, 0));
            socket = ListeningSocket.onPort(server.getLocalPort()).getFirst();
            boolean ipv6 = own.getAddress().length > Integer.BYTES;
            assertThat(socket.isOpen()).isTrue();
            assertThat(SocketFilter.isAttached(socket.descriptor())).isFalse();

            assertThat(SocketFilter.attach(socket.descriptor(), ipv6, Set.of(other))).isZero();
            assertThat(connects(server)).isFalse();
            assertThat(SocketFilter.attach(socket.descriptor(), ipv6, Set.of(other, own))).isZero();
            assertThat(connects(server)).isTrue();
            assertThat(SocketFilter.attach(socket.descriptor(), ipv6, Set.of())).isZero();
            assertThat(connects(server)).isFalse();
            assertThat(SocketFilter.isAttached(socket.descriptor())).isTrue();
            SocketFilter.detach(socket.descriptor());
            assertThat(SocketFilter.isAttached(socket.descriptor())).isFalse();
            assertThat(connects(server)).isTrue();
        }
        assertThat(socket.isOpen()).isFalse();
    }

    private static boolean connects(ServerSocket server) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(server.getLocalSocketAddress(), 500);
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        }
    }
}
