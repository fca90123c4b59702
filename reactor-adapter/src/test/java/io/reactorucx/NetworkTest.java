package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.HostCommands;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.testsupport.TestCertificates;
import io.reactorucx.testsupport.TwoHosts;
import io.reactorucx.testsupport.TwoHosts.Address;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** One object of resources reaches any host by any of its addresses, whatever came first; or says at once why not. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class NetworkTest implements NeedsUcx {

    private static final String LOCAL = "127.0.0.1";

    private static ChildJvm host(String[] where, String... options) {
        return ChildJvm.of(HostProgram.class).within(where).options(options).start();
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

    private static void assertEnds(ChildJvm host) {
        assertThat(HostCommands.end(host)).isEqualTo("contexts=0");
    }

    @Test
    void resourcesThatHaveTalkedToThisHostReachAnother() {
        try (TwoHosts hosts = TwoHosts.create(true, true);
                ChildJvm server = host(hosts.onRight()); ChildJvm client = host(hosts.onLeft())) {
            String local = bind(client, LOCAL);
            assertConnects(client, LOCAL, local);
            String port = bind(server, Address.IPV4.ofRight());
            assertConnects(client, Address.IPV4.ofRight(), port);
            assertConnects(client, LOCAL, local);
            // The engines of a second context are there beside those of the first.
            assertThat(HostCommands.ask(client, "health")).isEqualTo("2 2");
            assertEnds(client);
            assertEnds(server);
        }
    }

    /** Each has processes of its own: what was admitted for an address before stays so for some seconds. */
    @ParameterizedTest
    @CsvSource({"true, true, IPV4", "true, true, SECOND_IPV4", "true, true, IPV6", "true, true, SECOND_IPV6",
        "true, true, LINK_LOCAL", "true, false, LINK_LOCAL", "false, true, IPV6", "false, true, SECOND_IPV6",
        "false, true, LINK_LOCAL"})
    void addressOfAHostConnects(boolean ipv4, boolean ipv6, Address address) {
        try (TwoHosts hosts = TwoHosts.create(ipv4, ipv6);
                ChildJvm left = host(hosts.onLeft()); ChildJvm right = host(hosts.onRight())) {
            // One of the two clients has the larger uid, so that its side makes the first endpoint.
            assertConnects(left, address.ofRight(), bind(right, address.ofRight()));
            assertConnects(right, address.ofLeft(), bind(left, address.ofLeft()));
            assertEnds(left);
            assertEnds(right);
        }
    }

    /**
     * Of several addresses the one counts that the client has asked for, wherever it is sent: by IPv6 to the address of
     * IPv4, which UCX uses and which the certificate does not have.
     */
    @ParameterizedTest
    @EnumSource(names = {"IPV4", "IPV6", "SECOND_IPV6"})
    void certificateHasTheAddressThatWasAskedFor(Address address, @TempDir Path folder) {
        TestCertificates authority = new TestCertificates("authority");
        Path server = folder.resolve("server.p12");
        Path client = folder.resolve("client.p12");
        authority.write(authority.issue("server", settings -> settings.addSanIpAddress(address.ofRight())), server);
        authority.write(authority.issue("client"), client);
        try (TwoHosts hosts = TwoHosts.create(true, true);
                ChildJvm left = host(hosts.onLeft(), "-D" + HostProgram.KEYS + "=" + client);
                ChildJvm right = host(hosts.onRight(), "-D" + HostProgram.KEYS + "=" + server);
                ChildJvm stranger = host(hosts.onLeft())) {
            String port = bind(right, "0.0.0.0");
            assertConnects(left, address.ofRight(), port);
            Address other = address == Address.IPV4 ? Address.IPV6 : Address.IPV4;
            assertThat(HostCommands.ask(left, HostCommands.CONNECT + other.ofRight() + " " + port))
                    .contains("TLS: (certificate_unknown)");
            assertThat(HostCommands.ask(stranger, HostCommands.CONNECT + address.ofRight() + " " + port))
                    .contains("TLS: off at the client, on at the server");
            assertEnds(left);
            assertEnds(right);
            assertEnds(stranger);
        }
    }

    @ParameterizedTest
    @CsvSource({"true, true", "false, true"})
    void serverOfAllAddressesIsReachedByEach(boolean ipv4, boolean ipv6) {
        try (TwoHosts hosts = TwoHosts.create(ipv4, ipv6);
                ChildJvm left = host(hosts.onLeft()); ChildJvm right = host(hosts.onRight())) {
            assertConnects(right, LOCAL, bind(right, LOCAL));
            String port = bind(right, "0.0.0.0");
            for (Address address : Address.of(ipv4, ipv6)) {
                assertConnects(left, address.ofRight(), port);
            }
            assertEnds(left);
            assertEnds(right);
        }
    }

    @Test
    void serverOfSeveralDevicesIsReachedOverEach() {
        try (TwoHosts hosts = TwoHosts.create(true, false)) {
            String second = hosts.connectAgain();
            try (ChildJvm left = host(hosts.onLeft()); ChildJvm right = host(hosts.onRight())) {
                String port = bind(right, "0.0.0.0");
                for (int i = 0; i < 2; i++) {
                    assertConnects(left, second, port);
                    assertConnects(left, Address.IPV4.ofRight(), port);
                }
                assertEnds(left);
                assertEnds(right);
            }
        }
    }

    @Test
    void kernelMayChooseAnotherAddressThanThatOfUcx() {
        try (TwoHosts hosts = TwoHosts.create(true, false);
                ChildJvm left = host(hosts.onLeft()); ChildJvm right = host(hosts.onRight())) {
            hosts.preferSecondAddress();
            assertConnects(left, Address.IPV4.ofRight(), bind(right, Address.IPV4.ofRight()));
            assertConnects(right, Address.IPV4.ofLeft(), bind(left, Address.IPV4.ofLeft()));
            assertEnds(left);
            assertEnds(right);
        }
    }

    @Test
    void addressOfUcxThatIsNotReachedIsNamed() {
        try (TwoHosts hosts = TwoHosts.create(true, true)) {
            hosts.removeIpv4OfLeft();
            try (ChildJvm left = host(hosts.onLeft()); ChildJvm right = host(hosts.onRight())) {
                assertThat(HostCommands.ask(left, HostCommands.CONNECT + Address.IPV6.ofRight() + " "
                        + bind(right, Address.IPV6.ofRight()))).startsWith(HostCommands.FAILED)
                        .contains("[fd00:203:0:0:0:0:0:2]", "UCX of the server uses the address 10.203.1.2:");
                assertEnds(left);
                assertEnds(right);
            }
        }
    }

    @Test
    void namedDevicesAreTheOnlyOnes() {
        try (TwoHosts hosts = TwoHosts.create(true, false);
                ChildJvm left = host(hosts.onLeft(), "-D" + HostProgram.DEVICES + "=lo");
                ChildJvm right = host(hosts.onRight())) {
            String listening = HostCommands.ask(left, "listens");
            assertThat(listening).contains("127.0.0.1");
            assertThat(HostCommands.ask(left, HostCommands.BIND + Address.IPV4.ofLeft()))
                    .startsWith(HostCommands.FAILED).contains(Address.IPV4.ofLeft(), "eth0", " lo ", "networkDevices");
            assertThat(HostCommands.ask(left, HostCommands.CONNECT + Address.IPV4.ofRight() + " "
                    + bind(right, Address.IPV4.ofRight()))).startsWith(HostCommands.FAILED)
                    .contains(Address.IPV4.ofRight(), "eth0", " lo ", "networkDevices");
            assertConnects(left, LOCAL, bind(left, "0.0.0.0"));
            assertThat(HostCommands.ask(left, "listens")).isEqualTo(listening);
            assertEnds(left);
            assertEnds(right);
        }
    }

    @Test
    void namedDeviceServesPeersOfThisHostByTcp() {
        try (TwoHosts hosts = TwoHosts.create(true, false);
                ChildJvm left = host(hosts.onLeft(), "-D" + HostProgram.DEVICES + "=eth0",
                "-D" + HostProgram.TRANSPORTS + "=tcp,self");
                ChildJvm other = host(hosts.onLeft(), "-D" + HostProgram.TRANSPORTS + "=tcp,self")) {
            assertConnects(left, LOCAL, bind(left, LOCAL));
            assertConnects(other, Address.IPV4.ofLeft(), bind(left, Address.IPV4.ofLeft()));
            assertEnds(left);
            assertEnds(other);
        }
    }

    @Test
    void resourcesWithOneSidedMemoryHaveOneContextAndSaySoForGood() {
        try (TwoHosts hosts = TwoHosts.create(true, false);
                ChildJvm left = host(hosts.onLeft(), "-D" + HostProgram.ONE_SIDED + "=true");
                ChildJvm right = host(hosts.onRight())) {
            assertConnects(left, LOCAL, bind(left, LOCAL));
            String port = bind(right, Address.IPV4.ofRight());
            for (String how : List.of(HostCommands.CONNECT, "reconnect ")) {
                assertThat(HostCommands.ask(left, how + Address.IPV4.ofRight() + " " + port))
                        .startsWith(HostCommands.FAILED)
                        .contains("UNSUPPORTED", Address.IPV4.ofRight(), "eth0", "networkDevices");
            }
            assertConnects(left, LOCAL, bind(left, LOCAL));
            assertEnds(left);
            assertEnds(right);
        }
    }
}
