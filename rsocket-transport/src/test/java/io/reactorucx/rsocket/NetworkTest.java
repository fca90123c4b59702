package io.reactorucx.rsocket;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.HostCommands;
import io.reactorucx.testsupport.TwoHosts;
import io.reactorucx.testsupport.TwoHosts.Address;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** RSocket reaches any host by any of its addresses, after peers of this host as well. */
@Tag("slow")
class NetworkTest {

    private static final String LOCAL = "127.0.0.1";

    private static String bind(ChildJvm host, String address) {
        String bound = HostCommands.ask(host, HostCommands.BIND + address);
        assertThat(bound).startsWith(HostCommands.BOUND);
        return bound.substring(HostCommands.BOUND.length());
    }

    private static void assertConnects(ChildJvm host, String address, String port) {
        assertThat(HostCommands.ask(host, HostCommands.CONNECT + address + " " + port))
                .isEqualTo(HostCommands.CONNECTED + (1 << 20));
    }

    @ParameterizedTest
    @CsvSource({"true, true, IPV4", "true, true, SECOND_IPV4", "true, true, IPV6", "true, true, LINK_LOCAL",
        "false, true, IPV6"})
    void addressOfAHostConnects(boolean ipv4, boolean ipv6, Address address) {
        try (TwoHosts hosts = TwoHosts.create(ipv4, ipv6);
                ChildJvm left = ChildJvm.of(HostRSocket.class).within(hosts.onLeft()).start();
                ChildJvm right = ChildJvm.of(HostRSocket.class).within(hosts.onRight()).start()) {
            assertConnects(left, LOCAL, bind(left, LOCAL));
            assertConnects(left, address.ofRight(), bind(right, address.ofRight()));
            assertConnects(right, address.ofLeft(), bind(left, address.ofLeft()));
            assertThat(HostCommands.end(left)).isEqualTo("ended");
            assertThat(HostCommands.end(right)).isEqualTo("ended");
        }
    }
}
