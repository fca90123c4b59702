package io.reactorucx.examples;

import io.reactorucx.UcxConnection;
import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcxTransportKind;
import io.reactorucx.core.UcxVersion;
import java.util.List;
import java.util.Optional;

/**
 * The transports that a connection goes over, and the server at its other end.
 *
 * @param to the server, as it was given
 * @param transports each as {@code transport/device}
 * @param kinds the kinds of the transports, each once
 * @param errorMode that of both sides
 * @param ucx the version of UCX at the server
 * @param tcpAddresses where UCX reaches the server by tcp, as the server says
 */
record Route(HostAndPort to, List<String> transports, List<UcxTransportKind> kinds, ErrorMode errorMode,
        Optional<UcxVersion> ucx, List<String> tcpAddresses) {

    static Route of(HostAndPort to, UcxConnection connection) {
        return new Route(to, connection.transports(), connection.transports().stream().map(UcxTransportKind::of)
                .distinct().sorted().toList(), connection.errorMode(), connection.peerVersion(),
                connection.peerTcpAddresses().stream().map(each -> new HostAndPort(
                each.getAddress().getHostAddress(), each.getPort()).toString()).toList());
    }

    List<String> tags() {
        return kinds.stream().map(UcxTransportKind::tag).toList();
    }

    @Override
    public String toString() {
        return to + " goes over " + (transports.isEmpty() ? "transports that UCX does not tell"
                : String.join(", ", transports) + " (" + String.join(", ", tags()) + ")") + " in error mode "
                + errorMode + ", with UCX " + ucx.map(UcxVersion::toString).orElse("?") + " there; "
                + (tcpAddresses.isEmpty() ? "the server's worker names no tcp address"
                : "by tcp UCX reaches the server at " + String.join(", ", tcpAddresses));
    }
}
