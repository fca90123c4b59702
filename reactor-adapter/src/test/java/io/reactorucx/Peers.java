package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.security.EncryptionConfig;
import io.reactorucx.security.EncryptionMode;
import io.reactorucx.security.TlsConfig;
import io.reactorucx.testsupport.TestCertificates;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A client and a server in this process with one connection between them; {@link #close} checks that nothing is left of
 * it.
 */
final class Peers implements AutoCloseable {

    private final Route route;
    private final UcxResources serverResources;
    private final UcxResources clientResources;
    private final BlockingQueue<UcxConnection> accepted = new LinkedBlockingQueue<>();
    private final UnaryOperator<UcxClient> clientSettings;
    private final @Nullable UcxBoundServer server;
    private final UcxConnection client;
    private final UcxConnection served;

    private Peers(Route route, UnaryOperator<UcxResourcesBuilder> resources, UnaryOperator<UcxServer> serverSettings,
            UnaryOperator<UcxClient> clientSettings) {
        this.route = route;
        this.clientSettings = clientSettings;
        serverResources = resources.apply(route.resources()).build();
        clientResources = route.isSelf() ? serverResources : resources.apply(route.resources()).build();
        try {
            UcxServer unbound = route.isEncrypted() ? UcxServer.create(serverResources).secure(Encrypted.SERVER)
                    : UcxServer.create(serverResources).acceptWorkerAddresses(true);
            server = route.isSelf() ? null : serverSettings.apply(unbound.handle(connection -> {
                accepted.add(connection);
                return Mono.never();
            })).bindNow();
            client = connect();
            served = route.isSelf() ? client : nextServed();
        } catch (RuntimeException | Error e) {
            clientResources.disposeNow();
            serverResources.disposeNow();
            throw e;
        }
    }

    /** Certificates, made where they are needed. */
    private static final class Encrypted {

        private static final TestCertificates AUTHORITY = new TestCertificates("peers");
        private static final TlsConfig SERVER = of("server");
        private static final TlsConfig CLIENT = of("client");

        private static TlsConfig of(String name) {
            return TlsConfig.of(AUTHORITY.context(AUTHORITY.issue(name)))
                    .withEncryption(EncryptionConfig.DEFAULT.withMode(EncryptionMode.REQUIRED)
                            .withRawOperationsAllowed(true));
        }
    }

    static Peers connect(Route route) {
        return connect(route, UnaryOperator.identity(), UnaryOperator.identity(), UnaryOperator.identity());
    }

    static Peers connect(Route route, UnaryOperator<UcxResourcesBuilder> resources,
            UnaryOperator<UcxServer> serverSettings,
            UnaryOperator<UcxClient> clientSettings) {
        return new Peers(route, resources, serverSettings, clientSettings);
    }

    UcxClient unconnected() {
        UcxClient unconnected = UcxClient.create(clientResources);
        if (route.isSelf()) {
            unconnected = unconnected.raw(true).peerFailureDetection(false).engine(0);
        }
        if (route.isEncrypted()) {
            unconnected = unconnected.secure(Encrypted.CLIENT);
        }
        unconnected = clientSettings.apply(unconnected);
        if (route.byWorkerAddress()) {
            return unconnected.remoteWorkerAddress(Objects.requireNonNull(serverResources.workerAddress(0)
                    .block(Waits.PATIENCE)));
        }
        return unconnected.remoteAddress("127.0.0.1", server().port());
    }

    /** One more connection. */
    UcxConnection connect() {
        return unconnected().connectNow();
    }

    /** The server's end of the next connection. */
    UcxConnection nextServed() {
        try {
            return Objects.requireNonNull(accepted.poll(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS),
                    "nothing was accepted");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    UcxConnection client() {
        return client;
    }

    /** The server's end; the very same connection where it leads to itself. */
    UcxConnection served() {
        return served;
    }

    UcxBoundServer server() {
        return Objects.requireNonNull(server);
    }

    UcxResources clientResources() {
        return clientResources;
    }

    UcxResources serverResources() {
        return serverResources;
    }

    /** Something small gets through in both directions. */
    void assertWorks() {
        assertWorks(client, served);
    }

    static void assertWorks(UcxConnection client, UcxConnection served) {
        assertArrives(client, served);
        assertArrives(served, client);
    }

    private static void assertArrives(UcxConnection from, UcxConnection to) {
        int id = 999;
        Inbox inbox = Inbox.of(to, id);
        from.activeMessages().send(id, new byte[] {4, 2}).block(Waits.PATIENCE);
        assertThat(Bytes.array(inbox.next().data())).containsExactly(4, 2);
        inbox.cancel();
        Waits.engineOf(to);
    }

    @Override
    public void close() {
        assertNothingLeased(clientResources);
        assertNothingLeased(serverResources);
        clientResources.disposeNow();
        serverResources.disposeNow();
        assertThat(clientResources.context().isClosed()).as("client's context is closed").isTrue();
        assertThat(serverResources.context().isClosed()).as("server's context is closed").isTrue();
    }

    /** Looks at once: by Awaitility's default each test would wait for 100 ms, twice. */
    private static void assertNothingLeased(UcxResources resources) {
        Waits.soon().untilAsserted(() -> {
            assertThat(resources.buffers().leases()).as("leases").isZero();
            assertThat(resources.buffers().leasedBytes()).as("leased bytes").isZero();
        });
    }
}
