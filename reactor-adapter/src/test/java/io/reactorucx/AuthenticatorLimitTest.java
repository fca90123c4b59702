package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.security.Authenticator;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.frame.ControlFields;
import io.reactorucx.transport.frame.ControlFields.Key;
import io.reactorucx.transport.frame.ControlFrame;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

/** Authenticators run on a limited number of threads of their own, with a limited queue. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class AuthenticatorLimitTest implements NeedsUcx {

    private static final byte[] PROOF = "proof".getBytes(StandardCharsets.US_ASCII);

    private final CountDownLatch released = new CountDownLatch(1);
    private final Queue<String> threads = new ConcurrentLinkedQueue<>();
    private volatile boolean broken;
    private UcxResources resources;
    private UcxResources clientResources;

    @BeforeEach
    void open() {
        // One step runs and five wait; half of the six of one address.
        resources = UcxResources.builder().transports("tcp").authenticatorLimits(1, 5).build();
        clientResources = UcxResources.builder().transports("tcp").build();
    }

    @AfterEach
    void close() {
        released.countDown();
        if (resources != null) {
            clientResources.disposeNow();
            resources.disposeNow();
        }
    }

    /** A method whose server blocks, as one that asks a directory does. */
    private final class Blocking implements Authenticator {

        @Override
        public String method() {
            return "blocking";
        }

        @Override
        public ClientSide clientSide(String server) {
            return new ClientSide() {
                @Override
                public byte[] opening() {
                    return PROOF;
                }

                @Override
                public CompletionStage<byte[]> prove(byte[] challenge) {
                    return CompletableFuture.completedFuture(PROOF);
                }

                @Override
                public CompletionStage<Void> verify(byte[] serverProof) {
                    return CompletableFuture.completedFuture(null);
                }
            };
        }

        @Override
        public ServerSide serverSide(String client) {
            return new ServerSide() {
                @Override
                public CompletionStage<byte[]> challenge(byte[] opening) {
                    threads.add(Thread.currentThread().getName());
                    if (broken) {
                        throw new NoClassDefFoundError("planted by a test");
                    }
                    try {
                        released.await();
                    } catch (InterruptedException e) {
                        return CompletableFuture.failedFuture(e);
                    }
                    return CompletableFuture.completedFuture(PROOF);
                }

                @Override
                public CompletionStage<byte[]> verify(byte[] clientProof) {
                    threads.add(Thread.currentThread().getName());
                    return CompletableFuture.completedFuture(PROOF);
                }
            };
        }
    }

    private UcxBoundServer bind() {
        return UcxServer.create(resources).bindAddress("127.0.0.1", 0).authenticator(new Blocking())
                .handle(connection -> Mono.never()).bindNow();
    }

    private CompletableFuture<UcxConnection> connect(UcxBoundServer server) {
        return UcxClient.create(clientResources).remoteAddress("127.0.0.1", server.port())
                .authenticator(new Blocking()).connect().toFuture();
    }

    @Test
    void clientBeyondItsShareIsRefusedAtOnceAndTheOthersConnectLater() {
        UcxBoundServer server = bind();
        CompletableFuture<UcxConnection> running = connect(server);
        await().atMost(Waits.PATIENCE).until(() -> threads.size() == 1);
        CompletableFuture<UcxConnection> second = connect(server);
        CompletableFuture<UcxConnection> third = connect(server);
        await().atMost(Waits.PATIENCE).until(() -> resources.queuedAuthentications() == 2);

        assertThat(Waits.failure(connect(server))).isInstanceOfSatisfying(UcxException.class, refused -> {
            assertThat(refused.status()).isEqualTo(UcxStatus.BUSY);
            assertThat(refused.isRetryable()).isTrue();
        }).hasMessageContaining("too many peers are being authenticated");

        assertThat(resources.refusedAuthentications()).isOne();
        assertThat(threads).as("only one runs").hasSize(1);
        released.countDown();
        assertThat(Waits.get(running).isDisposed()).isFalse();
        assertThat(Waits.get(second).isDisposed()).isFalse();
        assertThat(Waits.get(third).isDisposed()).isFalse();
        assertThat(resources.queuedAuthentications()).isZero();
        assertThat(threads).allMatch(name -> name.startsWith("reactor-ucx-server-authenticator-"));
    }

    /** From another address: its first steps would fill the queue. */
    @Test
    void floodKeepsNobodyOut() {
        UcxBoundServer server = bind();
        byte[] hello = ControlFrame.of(ControlFrame.Type.HELLO, ControlFields.NONE
                .with(Key.AUTHENTICATION_METHOD, "blocking").with(Key.AUTHENTICATION, PROOF)).toBytes();
        List<SocketPeer> flood = Stream.generate(() -> SocketPeer.connect(server.port(), "127.0.0.2")).limit(10)
                .toList();
        flood.forEach(stranger -> stranger.send(hello));
        await().atMost(Waits.PATIENCE).until(() -> resources.refusedAuthentications() == 7);
        assertThat(resources.queuedAuthentications()).isEqualTo(2);

        CompletableFuture<UcxConnection> honest = connect(server);

        await().atMost(Waits.PATIENCE).until(() -> resources.queuedAuthentications() == 3);
        released.countDown();
        assertThat(Waits.get(honest).isDisposed()).isFalse();
        assertThat(resources.refusedAuthentications()).isEqualTo(7);
        flood.forEach(SocketPeer::close);
        await().atMost(Waits.PATIENCE).until(() -> resources.pendingHandshakes() == 0);
    }

    @Test
    void clientThatLeavesFreesItsPlaceInTheQueue() {
        UcxBoundServer server = bind();
        connect(server);
        await().atMost(Waits.PATIENCE).until(() -> threads.size() == 1);
        CompletableFuture<UcxConnection> second = connect(server);
        await().atMost(Waits.PATIENCE).until(() -> resources.queuedAuthentications() == 1);

        second.cancel(true);

        await().atMost(Waits.PATIENCE).until(() -> resources.queuedAuthentications() == 0);
        assertThat(resources.refusedAuthentications()).isZero();
    }

    @Test
    void clientThatLeavesInterruptsItsStep() {
        UcxBoundServer server = bind();
        CompletableFuture<UcxConnection> first = connect(server);
        await().atMost(Waits.PATIENCE).until(() -> threads.size() == 1);
        CompletableFuture<UcxConnection> second = connect(server);

        first.cancel(true);

        await().atMost(Waits.PATIENCE).until(() -> threads.size() == 2);
        released.countDown();
        assertThat(Waits.get(second).isDisposed()).isFalse();
    }

    @Test
    void errorThatReactorDoesNotSignalRejectsTheClientAtOnce() {
        broken = true;

        assertThat(Waits.failure(connect(bind()))).isInstanceOfSatisfying(UcxException.class, rejected ->
                assertThat(rejected.status()).isEqualTo(UcxStatus.REJECTED));
    }

    @Test
    void threadsEndWithTheResources() {
        UcxBoundServer server = bind();
        connect(server);
        await().atMost(Waits.PATIENCE).until(() -> threads.size() == 1);
        assertThat(authenticatorThreads()).isPositive();

        clientResources.disposeNow();
        resources.disposeNow();

        await().atMost(Waits.PATIENCE).until(() -> authenticatorThreads() == 0);
    }

    private static long authenticatorThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().contains("-authenticator-")).count();
    }
}
