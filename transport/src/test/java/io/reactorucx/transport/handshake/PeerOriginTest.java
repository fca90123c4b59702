package io.reactorucx.transport.handshake;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.shm.ProcessIdentity;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clients are told apart by what they cannot choose freely. */
class PeerOriginTest {

    private static final ProcessIdentity PROCESS = new ProcessIdentity(7, 100);
    private static final ProcessIdentity OTHER = new ProcessIdentity(7, 200);

    private static PeerOrigin origin(String remote, String local, ProcessIdentity process) {
        return PeerOrigin.of(new InetSocketAddress(remote, 40_000), new InetSocketAddress(local, 13_337), process);
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.1,127.0.0.1", "127.0.0.2,127.0.0.1", "::1,::1", "192.0.2.1,192.0.2.1",
        "2001:db8::1,2001:db8::1"})
    void peersOfThisHostAreTheirProcesses(String remote, String local) {
        PeerOrigin first = origin(remote, local, PROCESS);

        assertThat(first.process()).isEqualTo(PROCESS);
        assertThat(first).isEqualTo(origin("127.0.0.1", "127.0.0.1", PROCESS))
                .isNotEqualTo(origin(remote, local, OTHER)).hasToString("process 100 of 127.0.0.1");
    }

    /** A host could name a new process with each connection. */
    @ParameterizedTest
    @CsvSource({"192.0.2.1,192.0.2.2", "2001:db8:0:1::1,2001:db8:0:2::1", "fe80::1,fe80::2"})
    void peersOfOtherHostsAreTheirAddresses(String remote, String local) {
        PeerOrigin first = origin(remote, local, PROCESS);

        assertThat(first.process()).isEqualTo(ProcessIdentity.UNKNOWN);
        assertThat(first).isEqualTo(origin(remote, local, OTHER)).isNotEqualTo(origin("192.0.2.9", local, PROCESS));
    }

    /** A host has 2^64 addresses in its network of IPv6, and one of each link. */
    @Test
    void addressesOfOneNetworkOfIpv6AreOneClient() {
        PeerOrigin first = origin("2001:db8::1", "2001:db8:1::1", PROCESS);

        assertThat(first).isEqualTo(origin("2001:db8::ffff:2", "2001:db8:1::1", PROCESS))
                .isNotEqualTo(origin("2001:db8:0:1::1", "2001:db8:1::1", PROCESS));
        assertThat(origin("fe80::1", "fe80::9", PROCESS)).isNotEqualTo(origin("fe80::2", "fe80::9", PROCESS));
    }
}
