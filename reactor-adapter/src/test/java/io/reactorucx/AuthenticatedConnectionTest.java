package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.internal.concurrent.EngineCall;
import io.reactorucx.internal.ucp.ActiveMessageRouter;
import io.reactorucx.security.Authenticator;
import io.reactorucx.testsupport.NoLeaks;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Peers that have to prove who they are, over real connections. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(names = {"POSIX_BY_SOCKET_ADDRESS", "TCP_BY_WORKER_ADDRESS"})
class AuthenticatedConnectionTest implements NeedsUcx {

    private static final Authenticator SECRET = Authenticator.sharedSecret(
            "known to both of them".getBytes(StandardCharsets.UTF_8));
    private static final Authenticator OTHER = Authenticator.sharedSecret(
            "known to one of them only".getBytes(StandardCharsets.UTF_8));

    @Parameter
    private Route route;
    private UcxResources serverResources;
    private UcxResources clientResources;
    private final BlockingQueue<UcxConnection> accepted = new LinkedBlockingQueue<>();

    @BeforeEach
    void open() {
        serverResources = route.resources().build();
        clientResources = route.resources().build();
    }

    @AfterEach
    void nothingIsLeft() {
        if (serverResources == null) {
            return;
        }
        await().atMost(Waits.PATIENCE).untilAsserted(() -> {
            assertThat(clientResources.openConnections()).as("client's connections").isZero();
            assertThat(serverResources.openConnections()).as("server's connections").isZero();
        });
        clientResources.disposeNow();
        serverResources.disposeNow();
        assertThat(clientResources.context().isClosed()).isTrue();
        assertThat(serverResources.context().isClosed()).isTrue();
    }

    private UcxServer server() {
        return UcxServer.create(serverResources).acceptWorkerAddresses(true).closeTimeout(Duration.ofMillis(300))
                .handle(connection -> {
                    accepted.add(connection);
                    return Mono.never();
                });
    }

    private UcxClient to(UcxBoundServer bound, @Nullable Authenticator authenticator) {
        UcxClient client = UcxClient.create(clientResources).closeTimeout(Duration.ofMillis(300));
        client = authenticator == null ? client : client.authenticator(authenticator);
        return route.byWorkerAddress()
                ? client.remoteWorkerAddress(Objects.requireNonNull(serverResources.workerAddress(0)
                .block(Waits.PATIENCE)))
                : client.remoteAddress("127.0.0.1", bound.port());
    }

    private void assertRefused(Mono<UcxConnection> connecting, String why) {
        StepVerifier.create(connecting).expectErrorSatisfies(error -> assertThat(error)
                .isInstanceOfSatisfying(UcxException.class, ucx -> {
                    assertThat(ucx.status()).isEqualTo(UcxStatus.REJECTED);
                    assertThat(ucx.isRetryable()).isFalse();
                    assertThat(ucx).hasMessageEndingWith(why);
                })).verify(Waits.PATIENCE);
        assertThat(accepted).isEmpty();
    }

    private void awaitRefused(String reason, long count) {
        await().atMost(Waits.PATIENCE).untilAsserted(() ->
                assertThat(serverResources.peerStatistics().getFirst().rejectedHandshakes())
                        .containsEntry(reason, count));
    }

    @Test
    void whoKnowsTheSecretIsLetIn() throws InterruptedException {
        UcxBoundServer bound = server().authenticator(SECRET).bindNow();
        UcxConnection client = to(bound, SECRET).connectNow();
        UcxConnection served = Objects.requireNonNull(accepted.poll(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS));

        Peers.assertWorks(client, served);
        assertThat(client.peerVersion()).isEqualTo(served.peerVersion()).isPresent();
        client.close().block(Waits.PATIENCE);
        bound.disposeNow();
    }

    @Test
    void whoKnowsAnotherSecretOrNoneIsNot() {
        UcxBoundServer bound = server().authenticator(SECRET).bindNow();

        assertRefused(to(bound, OTHER).connect(), "authentication failed");
        assertRefused(to(bound, null).connect(), "authentication failed");
        awaitRefused("authentication", 2);
        bound.disposeNow();
    }

    @Test
    void clientThatWantsAProofDoesNotTalkToAServerWithoutOne() {
        UcxBoundServer bound = server().bindNow();

        assertRefused(to(bound, SECRET).connect(), "authentication: hmac-sha-256 at the client, none at the server");

        awaitRefused("authentication", 1);
        bound.disposeNow();
    }

    /** Blocks its thread until it is let go, or interrupted. */
    private static final class Stuck implements Authenticator, Authenticator.ServerSide {

        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch gone = new CountDownLatch(1);

        @Override
        public String method() {
            return SECRET.method();
        }

        @Override
        public ClientSide clientSide(String server) {
            throw new IllegalStateException("for servers only");
        }

        @Override
        public ServerSide serverSide(String client) {
            return this;
        }

        @Override
        public CompletionStage<byte[]> challenge(byte[] opening) {
            return CompletableFuture.completedFuture(opening);
        }

        @Override
        public CompletionStage<byte[]> verify(byte[] proof) {
            begun.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                gone.countDown();
            }
            return CompletableFuture.completedFuture(null);
        }
    }

    @Test
    void authenticatorThatBlocksStopsNeitherTheEngineNorTheTimeLimit() throws InterruptedException {
        Stuck stuck = new Stuck();
        UcxBoundServer bound = server().authenticator(stuck).handshakeTimeout(Duration.ofSeconds(1)).bindNow();
        PendingOperation attempt = PendingOperation.of(to(bound, SECRET).connect());
        assertThat(stuck.begun.await(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();

        // The engine goes on meanwhile.
        assertThat(serverResources.workerAddress(0).block(Waits.PATIENCE)).isNotEmpty();
        assertThat(attempt.failure()).isInstanceOf(UcxException.class);
        awaitRefused("timeout", 1);
        assertThat(stuck.gone.await(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(accepted).isEmpty();
        bound.disposeNow();
    }

    @Test
    void whatIsSentBeforeTheProofIsNotDelivered() {
        UcxBoundServer bound = server().authenticator(SECRET).bindNow();
        UcxConnection raw = UcxClient.create(clientResources).raw(true).closeTimeout(Duration.ofMillis(300))
                .remoteWorkerAddress(Objects.requireNonNull(serverResources.workerAddress(0).block(Waits.PATIENCE)))
                .connectNow();
        long dropped = serverResources.droppedMessages();
        serverResources.connecting().engines().forEach(each -> EngineCall.mono(each.engine(), worker -> {
            each.protocol(ActiveMessageRouter.class).receive(7);
            return each;
        }).block(Waits.PATIENCE));

        raw.activeMessages().send(7, new byte[] {1}).block(Waits.PATIENCE);

        await().atMost(Waits.PATIENCE).until(() -> serverResources.droppedMessages() == dropped + 1);
        assertThat(accepted).isEmpty();
        raw.close().block(Waits.PATIENCE);
        bound.disposeNow();
    }
}
