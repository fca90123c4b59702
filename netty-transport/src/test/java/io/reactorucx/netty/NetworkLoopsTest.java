package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.HostCommands;
import io.reactorucx.testsupport.TwoHosts;
import io.reactorucx.testsupport.TwoHosts.Address;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Loops reach any host by any of its addresses, or say at once why not. */
@Tag("slow")
class NetworkLoopsTest {

    private static final String LOCAL = "127.0.0.1";

    private static ChildJvm host(String[] where, String... options) {
        return ChildJvm.of(HostLoops.class).within(where).options(options).start();
    }

    private static String bind(ChildJvm host, String address) {
        String bound = HostCommands.ask(host, HostCommands.BIND + address);
        assertThat(bound).startsWith(HostCommands.BOUND);
        return bound.substring(HostCommands.BOUND.length());
    }

    private static void assertConnects(ChildJvm host, String address, String port) {
        assertThat(HostCommands.ask(host, HostCommands.CONNECT + address + " " + port))
                .startsWith(HostCommands.CONNECTED);
    }

    /** Each has loops of its own: those of an address before would use their endpoints again. */
    @ParameterizedTest
    @CsvSource({"true, true, IPV4", "true, true, SECOND_IPV4", "true, true, IPV6", "true, true, SECOND_IPV6",
        "true, true, LINK_LOCAL", "false, true, IPV6", "false, true, LINK_LOCAL"})
    void addressOfAHostConnects(boolean ipv4, boolean ipv6, Address address) {
        try (TwoHosts hosts = TwoHosts.create(ipv4, ipv6);
                ChildJvm left = host(hosts.onLeft()); ChildJvm right = host(hosts.onRight())) {
            assertConnects(left, LOCAL, bind(left, LOCAL));
            assertConnects(left, address.ofRight(), bind(right, address.ofRight()));
            assertConnects(right, address.ofLeft(), bind(left, "::"));
            assertThat(HostCommands.end(left)).isEqualTo("ended");
            assertThat(HostCommands.end(right)).isEqualTo("ended");
        }
    }

    @Test
    void loopsOfSeveralDevicesAreReachedOverEach() {
        try (TwoHosts hosts = TwoHosts.create(true, false)) {
            String second = hosts.connectAgain();
            try (ChildJvm left = host(hosts.onLeft()); ChildJvm right = host(hosts.onRight())) {
                String port = bind(right, "0.0.0.0");
                assertConnects(left, second, port);
                assertConnects(left, Address.IPV4.ofRight(), port);
            }
        }
    }

    @Test
    void namedDevicesAreTheOnlyOnes() {
        try (TwoHosts hosts = TwoHosts.create(true, false);
                ChildJvm left = host(hosts.onLeft(), "-D" + HostLoops.DEVICES + "=lo");
                ChildJvm right = host(hosts.onRight())) {
            assertThat(HostCommands.ask(left, HostCommands.CONNECT + Address.IPV4.ofRight() + " "
                    + bind(right, Address.IPV4.ofRight()))).startsWith(HostCommands.FAILED)
                    .contains(Address.IPV4.ofRight(), "eth0", " lo ");
            assertConnects(left, LOCAL, bind(left, "0.0.0.0"));
        }
    }
}
