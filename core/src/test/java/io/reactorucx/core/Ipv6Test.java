package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.testsupport.NoLeaks;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Connections over IPv6, which UCX can do only where its tcp transport knows nothing else. */
@ExtendWith(NoLeaks.class)
class Ipv6Test {

    @BeforeEach
    void requireUcx() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
    }

    private static Optional<InetAddress> globalAddress() throws SocketException {
        return NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses)
                .filter(ip -> ip instanceof Inet6Address && !ip.isLoopbackAddress() && !ip.isLinkLocalAddress())
                .findFirst();
    }

    @Test
    void connectsToListenerOnIpv6() throws SocketException {
        Optional<InetAddress> ip = globalAddress();
        assumeTrue(ip.isPresent(), "this machine has no IPv6 address but those of loopback and link; UCX uses neither");
        UcpConfig config = UcpConfig.builder().transports("tcp").setting("TCP_AF_PRIO", "inet6").build();
        List<UcpConnectionRequest> requests = new ArrayList<>();
        List<UcpActiveMessage> received = new ArrayList<>();
        EndpointOptions options = new EndpointOptions(ErrorMode.PEER, "peer", (endpoint, status) -> { });
        try (UcpContext context = UcpContext.create(config);
                UcpWorker server = context.createWorker(UcpWorkerConfig.of("server"));
                UcpWorker client = context.createWorker(UcpWorkerConfig.of("client"))) {
            Runnable step = () -> {
                server.progress();
                client.progress();
            };
            try (UcpListener listener = server.listen(new InetSocketAddress(ip.get(), 0), requests::add)) {
                assertThat(listener.address().getAddress().getAddress()).isEqualTo(ip.get().getAddress());
                assertThat(listener.address().getPort()).isPositive();
                UcpEndpoint forth = client.connect(listener.address(), options);
                Pair.until(step, () -> !requests.isEmpty(), "a connection request");
                assertThat(requests.getFirst().clientAddress().getAddress()).isInstanceOf(Inet6Address.class);
                UcpEndpoint back = server.accept(requests.getFirst(), options);
                server.activeMessages().handler(Pair.ID, message -> received.add(message.keep()));
                Outcome sent = Outcome.of(
                        done -> forth.amSend(Pair.ID, Pair.EMPTY, Pair.pattern(60), null, AmProtocol.AUTO, false,
                                done));
                Pair.until(step, () -> sent.isDone() && received.size() == 1, "a message");
                assertThat(received.getFirst().payload().mismatch(Pair.pattern(60))).isEqualTo(-1);
                List<Outcome> closed = List.of(Outcome.of(done -> forth.close(CloseMode.FORCE, done)),
                        Outcome.of(done -> back.close(CloseMode.FORCE, done)));
                Pair.until(step, () -> closed.stream().allMatch(Outcome::isDone), "closed endpoints");
            }
        }
    }
}
