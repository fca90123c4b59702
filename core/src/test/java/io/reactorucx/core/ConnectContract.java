package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.error.UcxUnsupportedException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The three ways to connect, and the errors when connecting fails. */
abstract class ConnectContract extends LinkContract {

    private final List<UcpConnectionRequest> requests = new ArrayList<>();

    ConnectContract(Link link) {
        super(link);
    }

    private void assumeSocketAddresses() {
        assumeTrue(!link.isSelf(), link + " has no connection manager for socket addresses");
    }

    private UcpEndpoint connect(InetSocketAddress address) {
        return pair.client.connect(address, pair.options(link.errorMode(), "another server"));
    }

    private UcxStatus awaitError() {
        pair.until(() -> !pair.errors.isEmpty(), "an error of the endpoint");
        return pair.errors.getFirst();
    }

    @Test
    void carriesDataOverTheFastestTransport() {
        assertThat(pair.toServer.transports()).as(pair.toServer.info()).anyMatch(link::isCarriedBy);
        assertThat(pair.toClient.transports()).as(pair.toClient.info()).anyMatch(link::isCarriedBy);
        pair.assertStillWorks();
    }

    @Test
    void estimatesTimeOfMessages() {
        long nothing = pair.toServer.estimateNanos(0).orElseThrow();
        long much = pair.toServer.estimateNanos(1 << 30).orElseThrow();
        assertThat(nothing).isNotNegative().isLessThan(much);
        assertThat(pair.toServer.estimateNanos(Long.MAX_VALUE).orElseThrow()).isGreaterThan(much);
        assertThatThrownBy(() -> pair.toServer.estimateNanos(-1)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("messageBytes -1");
        if (!link.isSelf()) {
            UcpEndpoint early = connect(pair.server.listen(Pair.local(0), requests::add).address());
            assertThat(early.estimateNanos(0)).as("before there is a connection").isEmpty();
            assertThat(early.estimateNanos(100)).as("before there is a connection").isEmpty();
            pair.until(() -> !requests.isEmpty(), "a connection request");
            pair.server.accept(requests.getFirst(), pair.options(link.errorMode(), "another client"));
            pair.run(early::flush);
            assertThat(early.estimateNanos(0)).isPresent();
        }
        pair.assertStillWorks();
    }

    @Test
    void connectsByWorkerAddress() {
        EndpointOptions options = pair.options(link.errorMode(), "by address");
        UcpEndpoint forth = pair.client.connect(pair.server.address(), options);
        UcpEndpoint back = pair.server.connect(pair.client.address(), options);
        pair.client.activeMessages().handler(Pair.ID, message -> pair.received.add(message.keep()));
        pair.run(forth::flush);
        pair.run(back::flush);
        for (UcpEndpoint endpoint : List.of(forth, back)) {
            for (int i = 0; i < 3; i++) {
                pair.run(done -> endpoint.amSend(Pair.ID, Pair.EMPTY, Pair.pattern(100), null, AmProtocol.AUTO, false,
                        done));
                assertThat(pair.data(pair.awaitMessage()).mismatch(Pair.pattern(100))).isEqualTo(-1);
            }
        }
        assertThat(pair.errors).isEmpty();
    }

    @Test
    void queuesOperationsUntilPeerAccepts() {
        assumeSocketAddresses();
        UcpListener listener = pair.server.listen(Pair.local(0), requests::add);
        UcpEndpoint early = connect(listener.address());
        Outcome sent = Outcome.of(done -> early.amSend(Pair.ID, Pair.EMPTY, Pair.pattern(9), null, AmProtocol.AUTO,
                false, done));
        pair.until(() -> !requests.isEmpty(), "a connection request");
        assertThat(sent.isDone()).as("whether a send ended before the connection was accepted").isFalse();
        UcpConnectionRequest request = requests.getFirst();
        assertThat(request.clientAddress().getAddress().isLoopbackAddress()).isTrue();
        assertThat(request.clientAddress().getPort()).isPositive();
        pair.server.accept(request, pair.options(link.errorMode(), "another client"));
        pair.awaitOk(sent);
        assertThat(pair.awaitMessage().length()).isEqualTo(9);
    }

    @Test
    void acceptsOnWorkerOfAnotherThread() throws InterruptedException, ExecutionException, TimeoutException {
        assumeSocketAddresses();
        UcpListener listener = pair.server.listen(Pair.local(0), requests::add);
        UcpEndpoint endpoint = connect(listener.address());
        pair.until(() -> !requests.isEmpty(), "a connection request");
        CompletableFuture<Long> length = new CompletableFuture<>();
        Thread.ofPlatform().start(() -> {
            try {
                length.complete(receiveOneOn(pair.context, requests.getFirst()));
            } catch (Throwable t) {
                length.completeExceptionally(t);
            }
        });
        pair.run(endpoint::flush);
        Outcome sent = Outcome.of(done -> endpoint.amSend(Pair.ID, Pair.EMPTY, Pair.pattern(321), null, AmProtocol.AUTO,
                false, done));
        pair.until(() -> sent.isDone() && length.isDone(), "a message at the other thread");
        pair.awaitOk(sent);
        assertThat(length.get(1, TimeUnit.SECONDS)).isEqualTo(321);
    }

    private long receiveOneOn(UcpContext context, UcpConnectionRequest request) {
        UcpWorker worker = context.createWorker(UcpWorkerConfig.of("other thread"));
        AtomicReference<UcpActiveMessage> message = new AtomicReference<>();
        worker.activeMessages().handler(Pair.ID, arrived -> message.set(arrived.keep()));
        UcpEndpoint endpoint = worker.accept(request,
                new EndpointOptions(link.errorMode(), "client", (failed, status) -> { }));
        Pair.until(worker::progress, () -> message.get() != null, "a message");
        boolean force = link.errorMode() == ErrorMode.PEER;
        Outcome closed = Outcome.of(done -> endpoint.close(force ? CloseMode.FORCE : CloseMode.FLUSH, done));
        Pair.until(worker::progress, () -> closed.isDone() && worker.inFlight() == 0, "a closed endpoint");
        worker.close();
        return message.get().length();
    }

    @Test
    void tellsClientThatItWasRejected() {
        assumeSocketAddresses();
        UcpListener listener = pair.server.listen(Pair.local(0), requests::add);
        UcpEndpoint endpoint = connect(listener.address());
        Outcome flushed = Outcome.of(endpoint::flush);
        pair.until(() -> !requests.isEmpty(), "a connection request");
        requests.getFirst().reject();
        assertThat(awaitError()).isEqualTo(UcxStatus.REJECTED);
        assertThat(pair.await(flushed)).isEqualTo(UcxStatus.REJECTED);
        assertThat(UcxStatus.of(endpoint.failure())).isEqualTo(UcxStatus.REJECTED);
        pair.assertStillWorks();
    }

    @Test
    void rejectsWaitingRequestsWhenListenerCloses() {
        assumeSocketAddresses();
        UcpListener listener = pair.server.listen(Pair.local(0), requests::add);
        connect(listener.address());
        pair.until(() -> !requests.isEmpty(), "a connection request");
        listener.close();
        assertThat(awaitError()).isEqualTo(UcxStatus.REJECTED);
        assertThatThrownBy(requests.getFirst()::reject).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("answered already");
        pair.assertStillWorks();
    }

    private static int unusedPort() throws IOException {
        try (ServerSocket unused = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            return unused.getLocalPort();
        }
    }

    @Test
    void failsWhenNoListenerIsThere() throws IOException {
        assumeSocketAddresses();
        UcpEndpoint endpoint = connect(Pair.local(unusedPort()));
        Outcome flushed = Outcome.of(endpoint::flush);
        assertThat(awaitError().isConnectionLost()).as("%s", pair.errors).isTrue();
        assertThat(pair.await(flushed)).isNotEqualTo(UcxStatus.OK);
        pair.assertStillWorks();
    }

    @Test
    void refusesPeerWithAnotherErrorMode() {
        assumeSocketAddresses();
        assumeTrue(link.errorMode() == ErrorMode.PEER, "a client without failure handling would not learn of it");
        UcpListener listener = pair.server.listen(Pair.local(0), requests::add);
        connect(listener.address());
        pair.until(() -> !requests.isEmpty(), "a connection request");
        assertThatThrownBy(() -> pair.server.accept(requests.getFirst(), pair.options(ErrorMode.NONE, "mismatch")))
                .isInstanceOfSatisfying(UcxException.class,
                        e -> assertThat(e.status()).isEqualTo(UcxStatus.UNSUPPORTED));
        assertThat(awaitError()).matches(status -> status == UcxStatus.REJECTED || status.isConnectionLost(),
                "rejected or lost");
        pair.assertStillWorks();
    }

    @Test
    void rejectsRequestsThatAreTooMany() {
        assumeSocketAddresses();
        UcpWorker small = pair.context.createWorker(new UcpWorkerConfig("small", 64, 1024, 1));
        UcpListener listener = small.listen(Pair.local(0), requests::add);
        connect(listener.address());
        Pair.until(() -> {
            small.progress();
            pair.step();
        }, () -> requests.size() == 1, "a first request");
        connect(listener.address());
        Pair.until(() -> {
            small.progress();
            pair.step();
        }, () -> pair.errors.contains(UcxStatus.REJECTED), "a rejection of the second request");
        assertThat(listener.rejectedRequests()).isEqualTo(1);
        assertThat(requests).hasSize(1);
        listener.close();
        small.close();
        pair.assertStillWorks();
    }

    @Test
    void refusesIpv6WhereUcxWouldCorruptMemory() {
        InetSocketAddress address = new InetSocketAddress(InetAddress.ofLiteral("::1"), 0);
        assertThatThrownBy(() -> pair.server.listen(address, requests::add)).isInstanceOf(UcxUnsupportedException.class)
                .hasMessageContaining("TCP_AF_PRIO=inet6");
        assertThatThrownBy(() -> connect(address)).isInstanceOf(UcxUnsupportedException.class)
                .hasMessageContaining("TCP_AF_PRIO=inet6");
        pair.assertStillWorks();
    }

    @Test
    void refusesAddressThatIsInUse() {
        assumeSocketAddresses();
        UcpListener first = pair.server.listen(Pair.local(0), requests::add);
        assertThatThrownBy(() -> pair.server.listen(first.address(), requests::add))
                .isInstanceOfSatisfying(UcxException.class, e -> {
                    assertThat(e.status()).isEqualTo(UcxStatus.BUSY);
                    assertThat(e).hasMessageContaining(first.address().toString());
                });
        assertThat(pair.server.listeners()).contains(first).hasSize(2);
        pair.assertStillWorks();
    }

    @Test
    void connectsFromCertainAddressAndNamesBothEnds() throws IOException {
        assumeSocketAddresses();
        UcpListener listener = pair.server.listen(Pair.local(0), requests::add);
        InetSocketAddress from = Pair.local(unusedPort());
        UcpEndpoint client = pair.client.connect(listener.address(),
                pair.options(link.errorMode(), "server").from(from).named("client's end", 77));
        assertThat(client.attributes().transports()).as("transports before there is a connection").isEmpty();
        pair.until(() -> !requests.isEmpty(), "a connection request");
        assertThat(client.attributes().localAddress()).contains(from);
        assertThat(requests.getFirst().clientAddress()).isEqualTo(from);
        assertThat(requests.getFirst().clientId()).isZero();
        UcpEndpoint server = pair.server.accept(requests.getFirst(), pair.options(link.errorMode(), "client"));
        pair.run(client::flush);
        UcpEndpointAttributes attributes = client.attributes();
        assertThat(attributes.name()).isNotEmpty();
        assertThat(attributes.localAddress()).contains(from);
        assertThat(attributes.remoteAddress()).contains(listener.address());
        assertThat(attributes.transports()).isEqualTo(client.transports()).isNotEmpty();
        assertThat(attributes.userData().isPresent()).isEqualTo(Ucx.version().isAtLeast(1, 18));
        attributes.userData().ifPresent(data -> assertThat(data).isEqualTo(77));
        assertThat(server.attributes().localAddress()).contains(listener.address());
        assertThat(server.attributes().remoteAddress()).contains(from);
        pair.assertStillWorks();
    }

    @Test
    void namesNoSocketAddressesOfEndpointByWorkerAddress() {
        UcpEndpoint endpoint = pair.client.connect(pair.server.address(), pair.options(link.errorMode(), "by address")
                .withoutLoopback());
        pair.run(endpoint::flush);
        assertThat(endpoint.attributes().localAddress()).isEmpty();
        assertThat(endpoint.attributes().remoteAddress()).isEmpty();
        assertThat(endpoint.attributes().transports()).isNotEmpty();
    }

    @Test
    void tellsListenerTheIdOfTheClient() {
        assumeSocketAddresses();
        UcpWorkerParameters parameters = UcpWorkerParameters.builder().clientId(0x123456789abcdefL).build();
        UcpWorker known = pair.context.createWorker(UcpWorkerConfig.of("known").with(parameters));
        UcpListener listener = pair.server.listen(Pair.local(0), requests::add);
        UcpEndpoint endpoint = known.connect(listener.address(), pair.options(link.errorMode(), "server")
                .withClientId());
        Runnable step = () -> {
            known.progress();
            pair.step();
        };
        Pair.until(step, () -> !requests.isEmpty(), "a connection request");
        assertThat(requests.getFirst().clientId()).isEqualTo(0x123456789abcdefL);
        UcpEndpoint accepted = pair.server.accept(requests.getFirst(), pair.options(link.errorMode(), "client"));
        Outcome flushed = Outcome.of(endpoint::flush);
        Pair.until(step, flushed::isDone, "a connection");
        assertThat(flushed.status()).isEqualTo(UcxStatus.OK);
        CloseMode mode = link.errorMode() == ErrorMode.PEER ? CloseMode.FORCE : CloseMode.FLUSH;
        List<Outcome> closed = List.of(Outcome.of(done -> accepted.close(mode, done)),
                Outcome.of(done -> endpoint.close(mode, done)));
        Pair.until(step, () -> closed.stream().allMatch(Outcome::isDone) && known.inFlight() == 0, "closed endpoints");
        known.close();
    }

    /** The system connects from 127.0.0.2, but UCX finds no device for it and reports that to neither side. */
    @Test
    void refusesToConnectFromAddressThatNoInterfaceHas() {
        for (String ip : List.of("127.0.0.2", "203.0.113.1")) {
            EndpointOptions options = pair.options(link.errorMode(), "server");
            InetSocketAddress foreign = new InetSocketAddress(InetAddress.ofLiteral(ip), 0);
            assertThatThrownBy(() -> pair.client.connect(Pair.local(1), options.from(foreign)))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("localAddress")
                    .hasMessageContaining(ip);
        }
        pair.assertStillWorks();
    }

    @Test
    void connectsFromAnyAddress() {
        assumeSocketAddresses();
        UcpListener listener = pair.server.listen(Pair.local(0), requests::add);
        InetSocketAddress any = new InetSocketAddress(InetAddress.ofLiteral("0.0.0.0"), 0);
        UcpEndpoint endpoint = pair.client.connect(listener.address(), pair.options(link.errorMode(), "server")
                .from(any));
        pair.until(() -> !requests.isEmpty(), "a connection request");
        pair.server.accept(requests.getFirst(), pair.options(link.errorMode(), "client"));
        pair.run(endpoint::flush);
        assertThat(endpoint.attributes().localAddress()).contains(requests.getFirst().clientAddress());
        pair.assertStillWorks();
    }

    @Test
    void refusesOptionsThatUcxWouldIgnore() {
        EndpointOptions options = pair.options(link.errorMode(), "unconnected");
        InetSocketAddress v6 = new InetSocketAddress(InetAddress.ofLiteral("::"), 0);
        assertThatThrownBy(() -> pair.client.connect(pair.server.address(), options.from(Pair.local(0))))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("localAddress")
                .hasMessageContaining("worker address");
        assertThatThrownBy(() -> pair.client.connect(pair.server.address(), options.withClientId()))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("sendClientId");
        assertThatThrownBy(() -> pair.client.connect(Pair.local(1), options.from(v6)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("localAddress").hasMessageContaining("another family");
        assertThatThrownBy(() -> options.from(InetSocketAddress.createUnresolved("nowhere.invalid", 0)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("localAddress");
        assertThatThrownBy(() -> options.named("x".repeat(32), 0)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("name");
        pair.assertStillWorks();
    }
}
