package io.reactorucx.transport.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

/** The names of peers in logs and errors. */
class PeerNameTest {

    @Test
    void ipv4AddressStandsBeforeItsPort() {
        assertThat(PeerName.of(new InetSocketAddress("10.0.0.7", 13337))).isEqualTo("10.0.0.7:13337");
    }

    @Test
    void ipv6AddressHasBrackets() {
        assertThat(PeerName.of(new InetSocketAddress("fd00::7", 13337))).isEqualTo("[fd00:0:0:0:0:0:0:7]:13337");
        assertThat(PeerName.of("fd00::7", 80)).isEqualTo("[fd00::7]:80");
    }

    @Test
    void bracketsAreNotDoubled() {
        assertThat(PeerName.of("[fd00::7]", 80)).isEqualTo("[fd00::7]:80");
    }

    @Test
    void resolvedNameIsShownAsItsAddress() throws UnknownHostException {
        InetAddress named = InetAddress.getByAddress("server", new byte[] {10, 0, 0, 7});

        assertThat(PeerName.of(new InetSocketAddress(named, 80))).isEqualTo("10.0.0.7:80");
    }

    @Test
    void unresolvedNameIsShownAsItIs() {
        assertThat(PeerName.of(InetSocketAddress.createUnresolved("server", 80))).isEqualTo("server:80");
    }

    @Test
    void workerAddressIsShownByItsSize() {
        assertThat(PeerName.ofWorker(new byte[200])).isEqualTo("worker address of 200 bytes");
    }
}
