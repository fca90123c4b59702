package io.reactorucx.examples;

import io.reactorucx.UcxResources;
import io.reactorucx.UcxResourcesBuilder;
import io.reactorucx.examples.doctor.Finding;
import io.reactorucx.examples.doctor.Severity;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;

/** Opens what UCX would listen on in a process of this library, and says where that was. */
final class ListeningPorts {

    private static final String NAME = "listening-ports";

    private ListeningPorts() {
    }

    static Finding find() {
        try {
            return finding(of(UcxResources.builder().networkDevices()),
                    of(UcxResources.builder().networkDevices(networkDevices())));
        } catch (RuntimeException | SocketException e) {
            return new Finding(NAME, Severity.WARNING, e.toString(), "an engine of UCX cannot be started here",
                    "see the other findings");
        }
    }

    private static Finding finding(List<String> withinHost, List<String> onNetworks) {
        return new Finding(NAME, Severity.OK, "with the defaults UCX listens on: " + named(withinHost)
                + " for peers of this host, " + named(onNetworks) + " for servers and clients of networks",
                "the ports are others in each process; the handshake port of a server comes on top"
                        + " (docs/spec/security.md)", "");
    }

    private static String named(List<String> addresses) {
        return addresses.isEmpty() ? "no port" : String.join(", ", addresses);
    }

    private static String[] networkDevices() throws SocketException {
        return NetworkInterface.networkInterfaces().filter(ListeningPorts::isUp).map(NetworkInterface::getName)
                .toArray(String[]::new);
    }

    private static boolean isUp(NetworkInterface device) {
        try {
            return device.isUp() && !device.isLoopback();
        } catch (SocketException e) {
            return false;
        }
    }

    private static List<String> of(UcxResourcesBuilder builder) {
        UcxResources resources = builder.build();
        try {
            return resources.listeningAddresses().stream().map(InetSocketAddress::toString)
                    .map(address -> address.replace("/", "")).toList();
        } finally {
            resources.disposeNow();
        }
    }
}
