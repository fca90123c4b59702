package io.reactorucx;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.reactorucx.connection.ConnectionState;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.testsupport.NoLeaks;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.retry.Retry;

/** What users of a server learn while it is away for longer than any of them waits. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class OutageTest implements NeedsUcx {

    private static final Retry PERSISTENT = Retry.fixedDelay(Long.MAX_VALUE, Duration.ofMillis(5));
    private static final Duration PENDING = Duration.ofMillis(50);

    private RestartableServer server;
    private UcxResources resources;

    /** By what applications decide to try again. */
    private enum Documented {
        LOST(UcxException::isConnectionLost),
        RETRYABLE(UcxException::isRetryable);

        private final Predicate<UcxException> predicate;

        Documented(Predicate<UcxException> predicate) {
            this.predicate = predicate;
        }

        boolean allows(Throwable error) {
            return error instanceof UcxException failure && predicate.test(failure);
        }
    }

    @BeforeEach
    void open() {
        assumeUcx();
        server = new RestartableServer(Route.POSIX_BY_SOCKET_ADDRESS);
        resources = Route.POSIX_BY_SOCKET_ADDRESS.resources().build();
    }

    @AfterEach
    void close() {
        if (resources != null) {
            resources.disposeNow();
            server.close();
        }
    }

    private UcxReconnectingClient client() {
        return UcxClient.create(resources).heartbeatInterval(Duration.ZERO).remoteAddress("127.0.0.1", server.port())
                .reconnect(PERSISTENT).pendingTimeout(PENDING);
    }

    private UcxReconnectingConnection connectionInAnOutage(UcxReconnectingClient client) {
        UcxReconnectingConnection connection = client.connectNow(Waits.PATIENCE);
        server.stop();
        await().atMost(Waits.PATIENCE).until(() -> connection.state() == ConnectionState.RECONNECTING);
        return connection;
    }

    private static Mono<Integer> echo(UcxConnection live) {
        return live.activeMessages().receive(RestartableServer.ID).next().map(message -> (int) message.length())
                .doOnSubscribe(listening -> live.activeMessages().send(RestartableServer.ID, new byte[7]).subscribe());
    }

    @ParameterizedTest
    @EnumSource
    void aRetryOutlastsAnOutageThatIsLongerThanItsWaits(Documented documented) {
        UcxReconnectingConnection connection = connectionInAnOutage(client());
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

        CompletableFuture<Integer> answer = connection.withConnection(OutageTest::echo)
                .retryWhen(Retry.indefinitely().filter(documented::allows)
                        .doBeforeRetry(signal -> failures.add(signal.failure())))
                .toFuture();
        await().atMost(Waits.PATIENCE).until(() -> failures.size() >= 3 || answer.isDone());
        server.start();

        assertThat(Waits.get(answer)).isEqualTo(7);
        assertThat(failures).anySatisfy(late -> assertThat(((UcxException) late).status())
                .isEqualTo(UcxStatus.TIMED_OUT));
    }

    @ParameterizedTest
    @EnumSource
    void aRetryOutlastsAFullWaitingRoom(Documented documented) {
        UcxReconnectingConnection connection = connectionInAnOutage(client().pendingMaxCount(1)
                .pendingTimeout(Duration.ofHours(1)));
        CompletableFuture<UcxConnection> first = connection.connection().toFuture();
        Sinks.Empty<Void> again = Sinks.empty();

        CompletableFuture<Integer> second = connection.withConnection(OutageTest::echo)
                .retryWhen(Retry.indefinitely().filter(documented::allows)
                        .doBeforeRetryAsync(signal -> again.asMono()))
                .toFuture();
        server.start();
        Waits.get(first);
        assertThat(second).as("it waits for its next try").isNotDone();
        again.tryEmitEmpty();

        assertThat(Waits.get(second)).isEqualTo(7);
    }

    @Test
    void aWaitThatEndsSaysWhyThereIsNoConnection() {
        UcxReconnectingConnection connection = connectionInAnOutage(client().pendingTimeout(Duration.ofSeconds(1)));

        UcxException late = (UcxException) Waits.failure(connection.connection().toFuture());

        assertThat(late.status()).isEqualTo(UcxStatus.TIMED_OUT);
        assertNamesTheAttempt(late);
    }

    private void assertNamesTheAttempt(UcxException late) {
        assertThat(late.getCause()).isInstanceOfSatisfying(UcxException.class, why -> {
            assertThat(why.operation()).isEqualTo("connect");
            assertThat(why.status()).isEqualTo(UcxStatus.NOT_CONNECTED);
            assertThat(late).hasMessageContaining(why.getMessage()).hasMessageContaining(":" + server.port());
        });
    }

    @Test
    void aBlockingConnectThatTakesTooLongSaysWhy() {
        UcxReconnectingClient client = client();
        server.stop();

        UcxException late = catchThrowableOfType(UcxException.class, () -> client.connectNow(Duration.ofSeconds(1)));

        assertThat(late.status()).isEqualTo(UcxStatus.TIMED_OUT);
        assertThat(late).hasMessageContaining("no connection within PT1S");
        assertNamesTheAttempt(late);
        assertThat(late.isRetryable()).isTrue();
    }

    @Test
    void aBlockingCloseThatTakesTooLongSaysWhatIsOpen() {
        UcxConnectionPool pool = UcxConnectionPool.builder(UcxClient.create(resources)
                .remoteAddress("127.0.0.1", server.port())).build();
        // It has taken a connection, and its part of the close waits for this thread.
        UcxConnection connection = pool.acquire().block(Waits.PATIENCE).connection();
        CompletableFuture<Void> held = new CompletableFuture<>();
        connection.scheduler().schedule(() -> held.orTimeout(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS).join());
        try {
            UcxException late = catchThrowableOfType(UcxException.class,
                    () -> pool.disposeNow(Duration.ofMillis(20)));

            assertThat(late.status()).isEqualTo(UcxStatus.TIMED_OUT);
            assertThat(late).hasMessageContaining("disposeNow").hasMessageContaining("not done within PT0.02S")
                    .hasMessageContaining(pool.toString());
        } finally {
            held.complete(null);
        }
        pool.disposeNow(Waits.PATIENCE);
    }

    @Test
    void theLogTellsOfLossAttemptsAndTheNextConnection() {
        ByteArrayOutputStream shown = new ByteArrayOutputStream();
        PrintStream before = System.err;
        System.setErr(new PrintStream(shown, true, UTF_8));
        try {
            UcxReconnectingConnection connection = connectionInAnOutage(client());
            await().atMost(Waits.PATIENCE).until(() -> shown.toString(UTF_8).contains("to connect failed"));
            server.start();
            await().atMost(Waits.PATIENCE).until(() -> connection.state() == ConnectionState.CONNECTED);
        } finally {
            System.setErr(before);
        }
        String lines = shown.toString(UTF_8).lines().filter(line -> line.contains("UcxReconnectingConnection"))
                .reduce("", (all, line) -> all + line + "\n");
        assertThat(lines).contains(" INFO ").contains("lost, will be replaced: ")
                .containsOnlyOnce("attempt 1 to connect failed: connect to 127.0.0.1:" + server.port())
                .containsPattern("reconnected after [0-9]+ failed attempts");
        assertThat(lines).as("a retry each 5 ms").doesNotContain("attempt 2 ");
    }
}
