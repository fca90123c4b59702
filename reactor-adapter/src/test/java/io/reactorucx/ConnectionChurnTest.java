package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.internal.concurrent.EngineCall;
import io.reactorucx.testsupport.NoLeaks;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Connections that come and go in numbers: each one works, and none leaves anything behind. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(names = {"POSIX_BY_SOCKET_ADDRESS", "TCP_BY_SOCKET_ADDRESS"})
class ConnectionChurnTest implements NeedsUcx {

    private static final int ASK = 1;
    private static final int ANSWER = 2;
    private static final int AT_A_TIME = 8;

    @Parameter
    private Route route;
    private UcxResources one;
    private UcxResources other;

    @BeforeEach
    void open() {
        one = route.resources().build();
        other = route.resources().build();
    }

    @AfterEach
    void close() {
        if (one == null) {
            return;
        }
        for (UcxResources resources : List.of(one, other)) {
            awaitIdle(resources);
            resources.disposeNow();
            assertThat(resources.context().isClosed()).isTrue();
        }
    }

    private static void awaitIdle(UcxResources resources) {
        await().atMost(Waits.PATIENCE).untilAsserted(() -> {
            assertThat(resources.openConnections()).as("connections").isZero();
            assertThat(resources.pendingHandshakes()).as("handshakes").isZero();
            assertThat(resources.engines()).allSatisfy(engine -> {
                assertThat(engine.counters().inFlight()).as("operations in flight").isZero();
            });
            assertThat(endpoints(resources)).as("endpoints, all of them idle").isEqualTo(resources.idleEndpoints());
        });
    }

    private static UcxBoundServer serve(UcxResources resources) {
        return UcxServer.create(resources).handle(ConnectionChurnTest::answer).bindNow();
    }

    private static Mono<Void> answer(UcxConnection connection) {
        ActiveMessages messages = connection.activeMessages();
        return messages.receive(ASK).concatMap(asked -> messages.send(ANSWER, Bytes.array(asked.data()))).then();
    }

    private static UcxClient client(UcxResources resources, UcxBoundServer server) {
        return UcxClient.create(resources).remoteAddress(server.address());
    }

    /** Asks and hears its own answer. */
    private static Mono<UcxConnection> talk(UcxConnection connection, int number) {
        byte[] question = {(byte) number, (byte) (number >> 8), 7};
        ActiveMessages messages = connection.activeMessages();
        return messages.receive(ANSWER).next().doOnNext(heard -> assertThat(Bytes.array(heard.data()))
                .containsExactly(question))
                .and(messages.send(ASK, question)).thenReturn(connection);
    }

    private static Mono<Void> comeAndGo(UcxClient client, int count) {
        return Flux.range(0, count).flatMap(i -> client.connect().flatMap(connection -> talk(connection, i))
                .flatMap(UcxConnection::close),
                AT_A_TIME).then();
    }

    private static long descriptors(Path process) {
        try (Stream<Path> files = Files.list(process.resolve("fd"))) {
            return files.count();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void awaitLevel(Path process, long before) {
        // Beside what there was: as many endpoints as there may be at a time, which may have been fewer before.
        await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(descriptors(process))
                .as("descriptors of " + process)
                .isLessThanOrEqualTo(before + 4 * AT_A_TIME));
    }

    @Test
    void thousandConnectionsLeaveNothing() {
        UcxBoundServer server = serve(one);
        UcxClient client = client(other, server);
        comeAndGo(client, 50).block(Waits.PATIENCE);
        awaitIdle(one);
        awaitIdle(other);
        Path self = Path.of("/proc/self");
        long before = descriptors(self);
        int threads = Thread.getAllStackTraces().size();

        for (int i = 0; i < 10; i++) {
            comeAndGo(client, 100).block(Waits.PATIENCE);
        }

        awaitIdle(one);
        awaitIdle(other);
        awaitLevel(self, before);
        assertThat(Thread.getAllStackTraces()).hasSizeLessThanOrEqualTo(threads + 2);
        server.disposeNow();
    }

    @Test
    void thousandConnectionsBetweenProcessesLeaveNothing() {
        UcxResources resources = route.resources().build();
        try (EchoProcess server = new EchoProcess(route.transports())) {
            UcxClient client = server.client(resources);
            Flux.range(0, 50).flatMap(i -> client.connect().flatMap(UcxConnection::close), AT_A_TIME).then()
                    .block(Waits.PATIENCE);
            awaitIdle(resources);
            Path self = Path.of("/proc/self");
            long before = descriptors(self);
            long beforeThere = descriptors(server.process());

            for (int i = 0; i < 10; i++) {
                Flux.range(0, 100).flatMap(each -> client.connect().flatMap(UcxConnection::close), AT_A_TIME).then()
                        .block(Waits.PATIENCE);
            }

            awaitIdle(resources);
            awaitLevel(self, before);
            awaitLevel(server.process(), beforeThere);
            server.end();
        } finally {
            resources.disposeNow();
        }
    }

    /** The next connections have those of the ones before, whether UCX could close these or not. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void endpointsAreUsedAgain(boolean peerFailureDetection) {
        UcxResources there = route.resources().build();
        UcxResources here = route.resources().build();
        UcxBoundServer server = UcxServer.create(there).peerFailureDetection(peerFailureDetection)
                .handle(ConnectionChurnTest::answer).bindNow();
        UcxClient client = client(here, server).peerFailureDetection(peerFailureDetection);
        comeAndGo(client, 100).block(Waits.PATIENCE);
        long endpoints = endpoints(there) + endpoints(here);

        comeAndGo(client, 500).block(Waits.PATIENCE);

        await().atMost(Waits.PATIENCE).until(() -> there.openConnections() == 0 && here.openConnections() == 0);
        // A connection may begin before both sides have heard of the end of the one before.
        assertThat(endpoints(there) + endpoints(here)).isLessThanOrEqualTo(endpoints + 2 * 2 * AT_A_TIME);
        server.disposeNow();
        there.disposeNow();
        here.disposeNow();
        assertThat(there.context().isClosed()).isTrue();
        assertThat(here.context().isClosed()).isTrue();
    }

    private static long endpoints(UcxResources resources) {
        return resources.engines().stream().mapToLong(engine -> Objects.requireNonNull(EngineCall.mono(engine,
                worker -> worker.endpoints().size()).block(Waits.PATIENCE))).sum();
    }

    /** Where in its making a connection is given up is left to chance. */
    @Test
    void attemptsThatAreGivenUpAnyTimeLeaveNothing() {
        UcxBoundServer server = serve(one);
        UcxClient client = client(other, server);
        Random random = new Random(4711);
        for (int i = 0; i < 300; i++) {
            Disposable attempt = client.connect().subscribe(UcxConnection::dispose, error -> { });
            long until = System.nanoTime() + random.nextInt(3_000_000);
            while (System.nanoTime() - until < 0) {
                Thread.onSpinWait();
            }
            attempt.dispose();
        }

        comeAndGo(client, 20).block(Waits.PATIENCE);
        awaitIdle(one);
        awaitIdle(other);
        server.disposeNow();
    }

    @Test
    void connectionThatHasBeenGivenOutStays() {
        UcxBoundServer server = serve(one);

        // It cancels as soon as it has the connection.
        UcxConnection connection = Objects.requireNonNull(client(other, server).connect().flux().take(1)
                .blockFirst(Waits.PATIENCE));

        talk(connection, 1).block(Waits.PATIENCE);
        connection.close().block(Waits.PATIENCE);
        server.disposeNow();
    }

    @Test
    void threeHundredAtATime() {
        // By default 256 handshakes at once; on a busy machine none has ended when the last one begins.
        UcxBoundServer server = UcxServer.create(one).maxPendingHandshakes(600).handle(ConnectionChurnTest::answer)
                .bindNow();
        UcxClient client = client(other, server);

        List<UcxConnection> connections = Objects.requireNonNull(Flux.range(0, 300).flatMap(i -> client.connect(), 300)
                .collectList()
                .block(Waits.PATIENCE));

        assertThat(connections).hasSize(300);
        assertThat(server.connections()).isEqualTo(300);
        Flux.range(0, 300).flatMap(i -> talk(connections.get(i), i), 300).then().block(Waits.PATIENCE);
        Flux.fromIterable(connections).flatMap(UcxConnection::close, 300).then().block(Waits.PATIENCE);
        await().atMost(Waits.PATIENCE).until(() -> server.connections() == 0);
        server.disposeNow();
    }

    @Test
    void bothSidesConnectToEachOther() {
        UcxBoundServer there = serve(one);
        UcxBoundServer here = serve(other);

        for (int i = 0; i < 10; i++) {
            Mono.when(comeAndGo(client(other, there), 25), comeAndGo(client(one, here), 25)).block(Waits.PATIENCE);
        }

        there.disposeNow();
        here.disposeNow();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void resourcesConnectToThemselves(int engines) {
        UcxResources self = route.resources().engines(engines).build();
        UcxBoundServer server = UcxServer.create(self).handle(connection -> Mono.when(answer(connection),
                connection.streams().receive(3).concatMap(bytes -> connection.streams().send(Bytes.pattern(1, 3))
                        .doFinally(end -> bytes.release())).then())).bindNow();
        UcxClient client = client(self, server);

        comeAndGo(client, 100).block(Waits.PATIENCE);
        UcxConnection connection = client.connectNow();
        connection.streams().send(Bytes.pattern(1, 3)).block(Waits.PATIENCE);
        UcxBuffer answered = Objects.requireNonNull(connection.streams().receive(3).next().block(Waits.PATIENCE));
        Bytes.assertSame(answered.segment(), Bytes.pattern(1, 3));
        answered.release();
        connection.close().block(Waits.PATIENCE);

        awaitIdle(self);
        server.disposeNow();
        self.disposeNow();
        assertThat(self.context().isClosed()).isTrue();
    }

    @Test
    void byIpv6() throws IOException {
        assumeTrue(hasIpv6(), "this machine has no IPv6");
        UcxBoundServer server = UcxServer.create(one).bindAddress("::1", 0).handle(ConnectionChurnTest::answer)
                .bindNow();
        UcxConnection connection = UcxClient.create(other).remoteAddress("::1", server.port()).connectNow();

        talk(connection, 1).block(Waits.PATIENCE);

        assertThat(connection.peer()).isEqualTo("[0:0:0:0:0:0:0:1]:" + server.port());
        connection.close().block(Waits.PATIENCE);
        server.disposeNow();
    }

    private static boolean hasIpv6() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("::1"))) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    /** The port is free at once: a server that takes its place gets all that come. */
    @Test
    void nextServerAtTheSamePort() {
        Set<Integer> ports = new HashSet<>();
        UcxBoundServer server = serve(one);
        for (int i = 0; i < 10; i++) {
            comeAndGo(client(other, server), 2).block(Waits.PATIENCE);
            ports.add(server.port());
            server.disposeNow();
            server = UcxServer.create(one).bindAddress("127.0.0.1", server.port()).handle(ConnectionChurnTest::answer)
                    .bindNow();
        }
        assertThat(ports).hasSize(1);
        server.disposeNow();
    }
}
