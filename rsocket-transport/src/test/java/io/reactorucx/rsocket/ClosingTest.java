package io.reactorucx.rsocket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxServer;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.security.Authenticator;
import io.reactorucx.testsupport.NoLeaks;
import io.rsocket.DuplexConnection;
import io.rsocket.Payload;
import io.rsocket.RSocket;
import io.rsocket.core.RSocketConnector;
import io.rsocket.exceptions.ConnectionErrorException;
import io.rsocket.exceptions.RejectedSetupException;
import io.rsocket.util.DefaultPayload;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

/** The ends of connections, and what RSocket makes of them. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@ValueSource(strings = {"posix", "tcp"})
class ClosingTest {

    private final Queue<UcxConnection> connections = new ConcurrentLinkedQueue<>();
    @Parameter
    private String transports;
    private TestResources resources;
    private TestService service;

    @BeforeEach
    void start() {
        resources = new TestResources(transports);
        service = TestService.start(resources);
    }

    @AfterEach
    void stop() {
        service.close();
        resources.awaitNothingLeft();
        resources.close();
    }

    private UcxClientTransport transport() {
        return UcxClientTransport.create(UcxClient.create(resources.client())
                .remoteAddress(TestResources.HOST, service.port()).doOnConnected(connections::add));
    }

    private RSocket connect(String setup) {
        return RSocketConnector.create().setupPayload(DefaultPayload.create(setup)).connect(transport())
                .block(TestResources.LIMIT);
    }

    private RSocket clientOnServer() {
        await().atMost(TestResources.LIMIT).until(() -> !service.clients().isEmpty());
        return service.clients().element();
    }

    private static Mono<Payload> ask(RSocket socket, String text) {
        return socket.requestResponse(DefaultPayload.create(text));
    }

    /** RSocket says goodbye with an error frame, which is the last one. */
    @Test
    void aCloseByTheClientIsToldToTheServer() {
        RSocket client = connect("");
        assertThat(ask(client, "hello").map(Payload::getDataUtf8).block(TestResources.LIMIT)).isEqualTo("hello");
        RSocket onServer = clientOnServer();

        client.dispose();
        StepVerifier.create(client.onClose()).expectComplete().verify(TestResources.LIMIT);
        StepVerifier.create(onServer.onClose()).expectErrorSatisfies(ClosingTest::assertDisposed)
                .verify(TestResources.LIMIT);
        assertThat(connections.element().isDisposed()).isTrue();
        await().atMost(TestResources.LIMIT).until(() -> service.transport().statistics().connections() == 0);
    }

    /** The client has no credit left after the setup frame, and gets some while it closes. */
    @Test
    void aCloseWithoutARequestIsToldToTheServer() {
        for (int i = 0; i < 20; i++) {
            service.clients().clear();
            RSocket client = connect("");
            client.dispose();

            StepVerifier.create(clientOnServer().onClose()).expectErrorSatisfies(ClosingTest::assertDisposed)
                    .verify(TestResources.LIMIT);
            StepVerifier.create(client.onClose()).expectComplete().verify(TestResources.LIMIT);
        }
    }

    private static void assertDisposed(Throwable error) {
        assertThat(error).isInstanceOf(ConnectionErrorException.class).hasMessage("Disposed");
    }

    @Test
    void aCloseByTheServerFailsRequests() {
        RSocket client = connect("");
        StepVerifier unanswered = StepVerifier.create(ask(client, TestService.NEVER))
                .expectErrorSatisfies(ClosingTest::assertDisposed).verifyLater();

        clientOnServer().dispose();
        unanswered.verify(TestResources.LIMIT);
        StepVerifier.create(client.onClose()).expectErrorSatisfies(ClosingTest::assertDisposed)
                .verify(TestResources.LIMIT);
        StepVerifier.create(ask(client, "late")).expectErrorSatisfies(ClosingTest::assertDisposed)
                .verify(TestResources.LIMIT);
        await().atMost(TestResources.LIMIT).until(() -> service.transport().statistics().connections() == 0);
    }

    /** As a transport without an RSocket is closed, for example by a load balancer. */
    @Test
    void aCloseOfAConnectionAloneCompletesBothSides() {
        Sinks.One<DuplexConnection> accepted = Sinks.one();
        UcxBoundTransport bound = UcxServerTransport.create(resources.server(), TestResources.HOST, 0)
                .start(connection -> {
                    connection.receive().subscribe();
                    accepted.tryEmitValue(connection);
                    return Mono.empty();
                }).block(TestResources.LIMIT);
        DuplexConnection client = UcxClientTransport.create(resources.client(), TestResources.HOST,
                bound.address().getPort()).connect().block(TestResources.LIMIT);
        DuplexConnection onServer = accepted.asMono().block(TestResources.LIMIT);

        StepVerifier received = StepVerifier.create(client.receive()).expectComplete().verifyLater();
        onServer.dispose();
        received.verify(TestResources.LIMIT);
        StepVerifier.create(client.onClose()).expectComplete().verify(TestResources.LIMIT);
        StepVerifier.create(onServer.onClose()).expectComplete().verify(TestResources.LIMIT);
        StepVerifier.create(client.receive()).expectErrorSatisfies(error -> assertThat(error)
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("one subscriber"))
                .verify(TestResources.LIMIT);
        client.dispose();
        StepVerifier.create(client.receive()).expectComplete().verify(TestResources.LIMIT);
        bound.dispose();
        bound.onClose().block(TestResources.LIMIT);
    }

    @Test
    void theStopOfAServerEndsItsClients() {
        RSocket client = connect("");
        StepVerifier unanswered = StepVerifier.create(ask(client, TestService.NEVER))
                .expectError(ClosedChannelException.class).verifyLater();
        clientOnServer();

        service.transport().dispose();
        unanswered.verify(TestResources.LIMIT);
        StepVerifier.create(service.transport().onClose()).expectComplete().verify(TestResources.LIMIT);
        assertThat(service.transport().isDisposed()).isTrue();
        StepVerifier.create(client.onClose().onErrorComplete()).expectComplete().verify(TestResources.LIMIT);
    }

    @Test
    void anErrorReachesTheClientBeforeTheClose() {
        RSocket client = connect(TestService.REFUSED);

        StepVerifier.create(client.onClose()).expectErrorSatisfies(error -> assertThat(error)
                .isInstanceOf(RejectedSetupException.class).hasMessageContaining("not you"))
                .verify(TestResources.LIMIT);
        StepVerifier.create(ask(client, "late")).expectError(RejectedSetupException.class)
                .verify(TestResources.LIMIT);
        await().atMost(TestResources.LIMIT).until(() -> service.transport().statistics().connections() == 0);
    }

    @Test
    void laterRequestsSayThatTheConnectionWasLost() {
        RSocket client = connect("");
        assertThat(ask(client, "hello").map(Payload::getDataUtf8).block(TestResources.LIMIT)).isEqualTo("hello");
        RSocket onServer = clientOnServer();

        connections.element().close(CloseMode.FORCE).block(TestResources.LIMIT);
        StepVerifier.create(onServer.onClose().onErrorComplete()).expectComplete().verify(TestResources.LIMIT);
        StepVerifier.create(ask(onServer, "late")).expectErrorSatisfies(error -> assertThat(error)
                .isInstanceOf(UcxClosedChannelException.class)
                .hasMessageContaining("the RSocket connection has ended")
                .cause().isInstanceOfSatisfying(UcxException.class, lost ->
                assertThat(lost.isConnectionLost()).isTrue())).verify(TestResources.LIMIT);
        StepVerifier.create(client.onClose().onErrorComplete()).expectComplete().verify(TestResources.LIMIT);
    }

    @Test
    void aClientWithAnotherSecretIsRefused() {
        TestService guarded = TestService.start(UcxServer.create(resources.server())
                .authenticator(secret("the secret of the server")), server -> server);
        UcxClient client = UcxClient.create(resources.client()).remoteAddress(TestResources.HOST, guarded.port());
        try (guarded) {
            StepVerifier.create(RSocketConnector.connectWith(UcxClientTransport.create(client
                    .authenticator(secret("another secret, as long")))))
                    .expectErrorSatisfies(error -> assertThat(error).isInstanceOfSatisfying(UcxException.class,
                            refused -> assertThat(refused.status()).isEqualTo(UcxStatus.REJECTED)))
                    .verify(TestResources.LIMIT);
            assertThat(guarded.transport().statistics().connections()).isZero();

            RSocket friend = RSocketConnector.connectWith(UcxClientTransport.create(client
                    .authenticator(secret("the secret of the server")))).block(TestResources.LIMIT);
            assertThat(ask(friend, "hello").map(Payload::getDataUtf8).block(TestResources.LIMIT)).isEqualTo("hello");
            friend.dispose();
            friend.onClose().block(TestResources.LIMIT);
        }
    }

    private static Authenticator secret(String text) {
        return Authenticator.sharedSecret(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aServerThatIsNotThereFailsTheConnect() {
        int port = service.port();
        service.close();

        StepVerifier.create(RSocketConnector.connectWith(UcxClientTransport.create(UcxClient
                .create(resources.client()).connectTimeout(Duration.ofSeconds(5))
                .remoteAddress(TestResources.HOST, port))))
                .expectErrorSatisfies(error -> assertThat(error).isInstanceOfSatisfying(UcxException.class, failed ->
                        assertThat(failed.isRetryable()).isTrue())).verify(TestResources.LIMIT);
    }

    @Test
    void aConnectionThatItsSubscriberDropsClosesItself() {
        CountDownLatch subscribed = new CountDownLatch(1);
        CompletableFuture<DuplexConnection> emitted = new CompletableFuture<>();
        Disposable.Swap subscription = Disposables.swap();
        subscription.update(transport().connect().doOnNext(connection -> {
            awaitLatch(subscribed);
            subscription.dispose();
            emitted.complete(connection);
        }).subscribe(taken -> emitted.completeExceptionally(new AssertionError("taken")),
                emitted::completeExceptionally));
        subscribed.countDown();

        emitted.orTimeout(TestResources.LIMIT.toSeconds(), TimeUnit.SECONDS).join().onClose()
                .block(TestResources.LIMIT);
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            assertThat(latch.await(TestResources.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
