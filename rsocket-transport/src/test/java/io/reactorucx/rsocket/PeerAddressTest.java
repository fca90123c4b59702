package io.reactorucx.rsocket;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The socket addresses that names of peers tell. */
class PeerAddressTest {

    @ParameterizedTest
    @CsvSource({"127.0.0.1:8080, 127.0.0.1, 8080", "[fd00:0:0:0:0:0:0:7]:1, fd00:0:0:0:0:0:0:7, 1"})
    void aNumericNameIsAnAddress(String name, String host, int port) {
        assertThat(PeerAddress.of(name)).isInstanceOfSatisfying(InetSocketAddress.class, address -> {
            assertThat(address.isUnresolved()).isFalse();
            assertThat(address.getAddress().getHostAddress()).isEqualTo(host);
            assertThat(address.getPort()).isEqualTo(port);
        });
    }

    @Test
    void aHostNameIsNotLookedUp() {
        assertThat(PeerAddress.of("server.example:7000"))
                .isEqualTo(InetSocketAddress.createUnresolved("server.example", 7000));
    }

    @ParameterizedTest
    @ValueSource(strings = {"worker address of 120 bytes", "a:b", ":1", "host:65536", "host:-1", "host:"})
    void anyOtherNameStaysAName(String name) {
        SocketAddress address = PeerAddress.of(name);

        assertThat(address).isNotInstanceOf(InetSocketAddress.class).hasToString(name).isEqualTo(PeerAddress.of(name))
                .hasSameHashCodeAs(PeerAddress.of(name)).isNotEqualTo(PeerAddress.of("other"));
    }
}
