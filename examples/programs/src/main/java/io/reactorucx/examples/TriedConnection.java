package io.reactorucx.examples;

import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.core.UcxTransportKind;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.examples.doctor.Finding;
import io.reactorucx.examples.doctor.Severity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A connection to a server of this library, made as a client with the defaults makes it: what it goes over, and why not
 * over something better.
 *
 * @param route what it goes over; empty without a connection
 * @param findings at least one
 */
record TriedConnection(Optional<Route> route, List<Finding> findings) {

    private static final String NAME = "connection";
    private static final Path RDMA_DEVICES = Path.of("/sys/class/infiniband");
    /** Both sides need the same mode, and a server says its own when it refuses another one. */
    private static final String OTHER_MODE = "error mode: PEER at the client, NONE at the server";

    /** Returns a connection that was not tried, which is not known to work. */
    static TriedConnection not(HostAndPort to, String why, String remedy) {
        return failed(to + " was not tried: " + why, "It is not known whether a connection can be made", remedy);
    }

    private static TriedConnection failed(String measured, String meaning, String remedy) {
        return new TriedConnection(Optional.empty(), List.of(new Finding(NAME, Severity.ERROR, measured, meaning,
                remedy)));
    }

    /** Connects, for at most a time, and closes the connection again. */
    static TriedConnection to(HostAndPort to, Duration limit) {
        try {
            UcxResources resources = UcxResources.builder().engines(1).build();
            try {
                UcxConnection connection = connect(UcxClient.create(resources).remoteAddress(to.host(), to.port())
                        .connectTimeout(limit));
                Route route = Route.of(to, connection);
                List<Finding> findings = findings(route, connection);
                connection.disposeNow();
                return new TriedConnection(Optional.of(route), findings);
            } finally {
                resources.disposeNow();
            }
        } catch (UcxException e) {
            return failed(String.valueOf(e.getMessage()), meaning(e.status()), remedy(e.status()));
        } catch (RuntimeException e) {
            return failed(to + ": " + Failures.inOneLine(e), "No connection can be made from here", "");
        }
    }

    private static UcxConnection connect(UcxClient client) {
        try {
            return client.connectNow();
        } catch (UcxException e) {
            if (e.status() == UcxStatus.REJECTED && String.valueOf(e.getMessage()).contains(OTHER_MODE)) {
                return client.peerFailureDetection(false).connectNow();
            }
            throw e;
        }
    }

    private static List<Finding> findings(Route route, UcxConnection connection) {
        boolean overKernel = !route.kinds().isEmpty() && route.kinds().stream().anyMatch(kind ->
                kind == UcxTransportKind.TCP || kind == UcxTransportKind.OTHER);
        List<Finding> findings = new ArrayList<>();
        findings.add(new Finding(NAME, Severity.OK, route.toString(), "A client with the defaults connects this way",
                ""));
        connection.whyNot(UcxTransportKind.RDMA).ifPresent(why -> findings.add(why(UcxTransportKind.RDMA, why,
                !overKernel ? Severity.OK : Files.isDirectory(RDMA_DEVICES) ? Severity.WARNING : Severity.NOTE,
                "rdma-devices here and on the server's host, and docs/guide/rdma.md")));
        connection.whyNot(UcxTransportKind.SHARED_MEMORY).ifPresent(why -> findings.add(why(
                UcxTransportKind.SHARED_MEMORY, why, overKernel ? Severity.NOTE : Severity.OK,
                "Within one host: transports, namespaces and shared-memory-room")));
        return findings;
    }

    private static Finding why(UcxTransportKind kind, String why, Severity severity, String remedy) {
        return new Finding(NAME, severity, "not over " + kind.tag() + ": " + why, severity == Severity.OK
                ? "What it goes over is as good" : "The kernel's tcp is slower", severity == Severity.OK ? "" : remedy);
    }

    private static String meaning(UcxStatus status) {
        return switch (status) {
            case NOT_CONNECTED -> "Nothing listens there, or the host cannot be reached";
            case CONNECTION_RESET -> "What listens there is no server of this library, or has another version of its"
                    + " protocol";
            case TIMED_OUT -> "What listens there says nothing: it is no server of this library, or something between"
                    + " drops packets";
            case REJECTED -> "The server refuses a client with the defaults";
            default -> "No connection can be made from here";
        };
    }

    private static String remedy(UcxStatus status) {
        return switch (status) {
            case NOT_CONNECTED -> "Start the server, bind it to an address that this host reaches, and see a firewall"
                    + " between";
            case CONNECTION_RESET, TIMED_OUT -> "Give the port of the handshake, which the server logs, and see a"
                    + " firewall between";
            default -> "";
        };
    }
}
