package io.reactorucx;

import static io.reactorucx.core.UcxTransportKind.RDMA;
import static io.reactorucx.core.UcxTransportKind.SELF;
import static io.reactorucx.core.UcxTransportKind.SHARED_MEMORY;
import static io.reactorucx.core.UcxTransportKind.TCP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.reactorucx.core.UcxTransportKind;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.engine.WaitStrategy;
import io.reactorucx.internal.concurrent.EngineCall;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.config.TransportRequirement;
import io.reactorucx.transport.frame.ControlFields;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** Connections whose data would go over something else than a side requires: no application sees them. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class RequiredTransportTest implements NeedsUcx {

    private static final String[] BOTH = {"posix", "tcp"};
    private static final int ID = 7;

    private final Queue<UcxConnection> accepted = new ConcurrentLinkedQueue<>();
    private UcxResources first;
    private UcxResources second;

    /** Which side requires. */
    enum Side {
        CLIENT, SERVER
    }

    private void open(String[] ofFirst, String... ofSecond) {
        first = UcxResources.builder().transports(ofFirst).build();
        second = UcxResources.builder().transports(ofSecond).build();
    }

    @AfterEach
    void nothingIsLeft() {
        if (first == null) {
            return;
        }
        awaitEnd();
        assertThat(accepted).isEmpty();
        first.disposeNow();
        second.disposeNow();
        assertThat(List.of(first.context().isClosed(), second.context().isClosed())).containsExactly(true, true);
    }

    private void awaitEnd() {
        await().atMost(Waits.PATIENCE).untilAsserted(() -> {
            assertThat(first.openConnections()).as("connections of the first").isZero();
            assertThat(second.openConnections()).as("connections of the second").isZero();
            assertThat(unbound(first) + unbound(second)).as("endpoints that are not bound").isZero();
        });
    }

    private static long unbound(UcxResources resources) {
        return resources.connecting().next().bindings().unbound().count();
    }

    private UcxBoundServer serve(UcxResources resources, UnaryOperator<UcxServer> settings) {
        return settings.apply(UcxServer.create(resources).handle(connection -> {
            accepted.add(connection);
            return connection.onDispose();
        })).bindNow();
    }

    private static UcxClient client(UcxResources resources, UcxBoundServer server) {
        return UcxClient.create(resources).remoteAddress("127.0.0.1", server.port());
    }

    private UcxException refused(UcxClient client) {
        UcxException error = catchThrowableOfType(UcxException.class, client::connectNow);
        assertThat(error).isNotNull();
        assertThat(error.operation()).isEqualTo("connect");
        assertThat(error.isRetryable()).as(error.getMessage()).isFalse();
        assertThat(error.isConnectionLost()).as(error.getMessage()).isFalse();
        assertThat(client.isPermanent(error)).as(error.getMessage()).isTrue();
        assertThat(accepted).as("what the application has seen").isEmpty();
        return error;
    }

    private void connects(UcxClient client, UcxTransportKind... kinds) {
        UcxConnection connection = client.connectNow();
        assertThat(connection.transports()).isNotEmpty().allSatisfy(each ->
                assertThat(UcxTransportKind.of(each)).isIn((Object[]) kinds));
        await().atMost(Waits.PATIENCE).until(() -> !accepted.isEmpty());
        assertThat(Objects.requireNonNull(accepted.poll()).transports()).isNotEmpty().allSatisfy(each ->
                assertThat(UcxTransportKind.of(each)).isIn((Object[]) kinds));
        connection.close().block(Waits.PATIENCE);
    }

    @Test
    void whatThisSideDoesNotHaveIsRefusedBeforeAnythingElse() {
        open(new String[] {"tcp"}, "tcp");

        UcxException client = refused(UcxClient.create(first).remoteAddress("127.0.0.1", 1).require(SHARED_MEMORY));
        UcxException server = catchThrowableOfType(UcxException.class, () -> serve(second, each ->
                each.require(RDMA)));

        assertThat(client.status()).isEqualTo(UcxStatus.UNSUPPORTED);
        assertThat(client).hasMessageContaining("the data has to go over shm or self, and UCX of this side has tcp");
        assertThat(server.status()).isEqualTo(UcxStatus.UNSUPPORTED);
        assertThat(server.operation()).isEqualTo("bind");
        assertThat(server).hasMessageContaining("the data has to go over rdma, and UCX of this side has tcp alone (");
    }

    @ParameterizedTest
    @EnumSource
    void whatTheOtherSideDoesNotHaveIsRefusedWithoutAnEndpoint(Side side) {
        open(BOTH, "tcp");
        UcxBoundServer server = side == Side.CLIENT ? serve(second, UnaryOperator.identity())
                : serve(first, each -> each.require(SHARED_MEMORY));
        UcxClient client = side == Side.CLIENT ? client(first, server).require(SHARED_MEMORY)
                : client(second, server);

        UcxException error = refused(client);

        assertThat(error).hasMessageContaining("the data has to go over shm or self, which the "
                + (side == Side.CLIENT ? "client" : "server") + " required").hasMessageContaining("tcp alone");
        if (side == Side.CLIENT) {
            assertThat(error).hasMessageContaining("the address of the server's worker names tcp alone");
        }
        awaitEnd();
        assertThat(endpoints(first) + endpoints(second)).isZero();
        server.disposeNow();
    }

    private static long endpoints(UcxResources resources) {
        return resources.engines().stream().mapToLong(engine -> Objects.requireNonNull(EngineCall
                .mono(engine, worker -> worker.endpoints().size()).block(Waits.PATIENCE))).sum();
    }

    /** Both orders of the two workers: the side whose worker has the larger number makes its endpoint first. */
    @ParameterizedTest
    @EnumSource
    void whatUcxTakesInPlaceIsRefusedWhicheverSideConnects(Side side) {
        open(BOTH, BOTH);
        for (UcxResources there : List.of(first, second)) {
            UcxResources here = there == first ? second : first;
            UcxBoundServer requiring = serve(there, each -> side == Side.SERVER ? each.require(TCP) : each);
            UcxClient client = side == Side.CLIENT ? client(here, requiring).require(TCP) : client(here, requiring);
            for (int i = 0; i < 5; i++) {
                UcxException error = refused(client);

                assertThat(error.status()).isIn(UcxStatus.UNSUPPORTED, UcxStatus.REJECTED);
                assertThat(error).hasMessageContaining("the data has to go over tcp, which the "
                        + (side == Side.CLIENT ? "client" : "server") + " required, and UCX of the ")
                        .hasMessageContaining("took posix/").hasMessageContaining("both sides have it")
                        .hasMessageContaining("out of the transports of a side");
            }
            awaitEnd();
            assertThat(mismatches(first) + mismatches(second)).as("counted by the sides that refused").isPositive();
            requiring.disposeNow();
            UcxBoundServer open = serve(there, UnaryOperator.identity());
            connects(client(here, open), SHARED_MEMORY);
            connects(client(here, open).require(SHARED_MEMORY, TCP), SHARED_MEMORY);
            open.disposeNow();
        }
    }

    private static long mismatches(UcxResources resources) {
        return resources.peerStatistics().stream().mapToLong(each -> each.rejectedHandshakes().get("mismatch")).sum();
    }

    /**
     * A peer that does not know of requirements, and that makes its endpoint first, hears the reason from the other
     * side, and not the loss of its endpoint.
     */
    @ParameterizedTest
    @EnumSource
    void aPeerThatDoesNotKnowRequirementsIsRefusedByTheOtherSide(Side side) {
        open(BOTH, BOTH);
        for (UcxResources there : List.of(first, second)) {
            UcxResources here = there == first ? second : first;
            UcxBoundServer server = serve(there, each -> side == Side.SERVER ? each.require(TCP) : each);
            try (FieldProxy proxy = FieldProxy.hiding(ControlFields.Key.REQUIRED_TRANSPORTS.number(),
                    TransportRequirement.of(TCP).bits(), side == Side.SERVER, server.port())) {
                UcxClient client = UcxClient.create(here).remoteAddress("127.0.0.1", proxy.port());
                UcxException error = refused(side == Side.CLIENT ? client.require(TCP) : client);

                assertThat(error.status()).isEqualTo(side == Side.CLIENT ? UcxStatus.UNSUPPORTED : UcxStatus.REJECTED);
                assertThat(error).hasMessageContaining("UCX of the " + (side == Side.CLIENT ? "client" : "server")
                        + " took posix/");
                assertThat(proxy.hidden()).isEqualTo(1);
            }
            awaitEnd();
            server.disposeNow();
        }
    }

    /** Over tcp, where a close by force tells the other side that its endpoint is lost. */
    @ParameterizedTest
    @EnumSource
    void theReasonComesBeforeTheLossOfTheEndpoint(Side side) {
        // UCX then uses no shared memory, although both sides offer it.
        first = UcxResources.builder().transports(BOTH).setting("POSIX_ERROR_HANDLING", "n").build();
        second = UcxResources.builder().transports(BOTH).setting("POSIX_ERROR_HANDLING", "n").build();
        for (UcxResources there : List.of(first, second)) {
            UcxResources here = there == first ? second : first;
            UcxBoundServer server = serve(there, each -> side == Side.SERVER ? each.require(SHARED_MEMORY) : each);
            for (int i = 0; i < 5; i++) {
                try (FieldProxy proxy = FieldProxy.hiding(ControlFields.Key.REQUIRED_TRANSPORTS.number(),
                        TransportRequirement.of(SHARED_MEMORY).bits(), side == Side.SERVER, server.port())) {
                    UcxClient client = UcxClient.create(here).remoteAddress("127.0.0.1", proxy.port());
                    UcxException error = refused(side == Side.CLIENT ? client.require(SHARED_MEMORY) : client);

                    assertThat(error).hasMessageContaining("the data has to go over shm or self")
                            .hasMessageContaining("took tcp/");
                }
            }
            awaitEnd();
            connects(client(here, serve(there, UnaryOperator.identity())), TCP);
            server.disposeNow();
        }
    }

    @Test
    void requirementsThatExcludeEachOtherAreNamed() {
        open(BOTH, BOTH);
        UcxBoundServer server = serve(second, each -> each.require(TCP));

        UcxException error = refused(client(first, server).require(SHARED_MEMORY));

        assertThat(error.status()).isEqualTo(UcxStatus.REJECTED);
        assertThat(error).hasMessageContaining("required transport: shm or self at the client, tcp at the server");
        server.disposeNow();
    }

    @Test
    void whatIsRequiredAndTakenConnects() {
        open(new String[] {"tcp"}, BOTH);
        UcxBoundServer server = serve(second, each -> each.require(TCP, RDMA));

        connects(client(first, server).require(TCP), TCP);
        connects(client(first, server).require(), TCP);
        server.disposeNow();
    }

    /** A connection that gets the endpoint of one before has the same check. */
    @Test
    void idleEndpointsThatAreSomethingElseAreNotGivenToAConnection() {
        open(BOTH, BOTH);
        UcxBoundServer server = serve(second, UnaryOperator.identity());
        UcxClient client = client(first, server);
        connects(client, SHARED_MEMORY);
        awaitIdle(1);

        refused(client.require(TCP));

        awaitEnd();
        awaitIdle(1);
        long made = endpoints(first) + endpoints(second);
        connects(client.require(SHARED_MEMORY), SHARED_MEMORY);
        awaitIdle(1);
        assertThat(endpoints(first) + endpoints(second)).as("it was the idle one").isEqualTo(made);
        server.disposeNow();
    }

    private void awaitIdle(int endpoints) {
        await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(List.of(first.idleEndpoints(),
                second.idleEndpoints())).containsExactly(endpoints, endpoints));
    }

    @Test
    void aClientThatReconnectsDoesNotTryAgain() {
        open(BOTH, BOTH);
        UcxBoundServer server = serve(second, UnaryOperator.identity());
        AtomicInteger retries = new AtomicInteger();
        UcxReconnectingClient client = client(first, server).require(TCP)
                .reconnect(Retry.fixedDelay(3, Duration.ofMillis(1))
                        .doBeforeRetry(signal -> retries.incrementAndGet()));

        UcxException error = catchThrowableOfType(UcxException.class, () -> client.connect().block(Waits.PATIENCE));

        assertThat(error).hasMessageContaining("the data has to go over tcp");
        assertThat(retries).hasValue(0);
        server.disposeNow();
    }

    @Test
    void aPoolLendsNoSuchConnectionAndKeepsNoPlaceForIt() {
        open(BOTH, BOTH);
        UcxBoundServer server = serve(second, UnaryOperator.identity());
        UcxConnectionPool pool = UcxConnectionPool.builder(client(first, server).require(TCP)).maxConnections(1)
                .build();
        for (int i = 0; i < 3; i++) {
            assertThat(catchThrowableOfType(UcxException.class, () -> pool.acquire().block(Waits.PATIENCE)))
                    .hasMessageContaining("the data has to go over tcp");
        }
        pool.disposeNow(Waits.PATIENCE);
        server.disposeNow();
    }

    @ParameterizedTest
    @EnumSource
    void byWorkerAddressEitherSideRefuses(Side side) {
        open(BOTH, BOTH);
        UcxBoundServer server = serve(second, each -> (side == Side.SERVER ? each.require(TCP) : each)
                .acceptWorkerAddresses(true));
        UcxClient client = UcxClient.create(first).remoteWorkerAddress(Objects.requireNonNull(second.workerAddress(0)
                .block(Waits.PATIENCE)));

        for (int i = 0; i < 3; i++) {
            UcxException error = refused(side == Side.CLIENT ? client.require(TCP) : client);

            assertThat(error.status()).isEqualTo(UcxStatus.REJECTED);
            assertThat(error).hasMessageContaining("the data has to go over tcp, which the "
                    + (side == Side.CLIENT ? "client" : "server") + " required, and UCX of the ")
                    .hasMessageContaining("took posix/");
        }
        awaitEnd();
        server.disposeNow();
        UcxBoundServer open = serve(second, each -> each.require(SHARED_MEMORY).acceptWorkerAddresses(true));
        connects(client.require(SHARED_MEMORY), SHARED_MEMORY);
        open.disposeNow();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aConnectionOfAWorkerWithItselfIsCheckedAsWell(boolean raw) {
        first = UcxResources.builder().transports(raw ? "self" : "posix", "tcp").waitStrategy(raw
                ? WaitStrategy.BUSY_SPIN : WaitStrategy.ADAPTIVE).build();
        second = first;
        byte[] own = Objects.requireNonNull(first.workerAddress(0).block(Waits.PATIENCE));
        UcxClient client = UcxClient.create(first).raw(raw).peerFailureDetection(!raw).remoteWorkerAddress(own);

        assertThat(refused(client.require(TCP))).hasMessageContaining("took " + (raw ? "self/" : "posix/"));
        UcxConnection connection = client.require(SHARED_MEMORY).connectNow();

        assertThat(UcxTransportKind.of(connection.transports().getFirst())).isIn(SELF, SHARED_MEMORY);
        connection.close().block(Waits.PATIENCE);
    }

    @ParameterizedTest
    @EnumSource
    void rawPeersAreRefusedByTheSideThatRequires(Side side) {
        open(new String[] {"tcp"}, "tcp");
        UcxResources shared = UcxResources.builder().transports(BOTH).build();
        UcxResources other = UcxResources.builder().transports(BOTH).build();
        UcxBoundServer server = serve(other, each -> (side == Side.SERVER ? each.require(RDMA, TCP) : each).raw(true));
        UcxClient client = client(shared, server).raw(true);

        if (side == Side.CLIENT) {
            UcxException error = catchThrowableOfType(UcxException.class, () -> client.require(TCP).connectNow());
            assertThat(error.status()).isEqualTo(UcxStatus.UNSUPPORTED);
            assertThat(client.isPermanent(error)).isTrue();
            assertThat(error).hasMessageContaining("which this side required").hasMessageContaining("took ");
            // Raw peers tell each other nothing.
            await().atMost(Waits.PATIENCE).until(() -> !accepted.isEmpty());
            Objects.requireNonNull(accepted.poll()).onDispose().block(Waits.PATIENCE);
        } else {
            // Raw peers tell each other nothing: the client connects and loses the connection, or does not connect.
            client.connect().flatMap(UcxConnection::onDispose).onErrorComplete(UcxException.class)
                    .block(Waits.PATIENCE);
            assertThat(accepted).isEmpty();
            assertThat(mismatches(other)).isEqualTo(1);
        }
        server.disposeNow();
        await().atMost(Waits.PATIENCE).until(() -> shared.openConnections() + other.openConnections() == 0);
        shared.disposeNow();
        other.disposeNow();
    }

    @Test
    void rawPeersOverWhatIsRequiredConnect() {
        open(new String[] {"tcp"}, "tcp");
        UcxBoundServer server = serve(second, each -> each.require(TCP).raw(true));

        UcxConnection connection = client(first, server).raw(true).require(TCP).connectNow();
        await().atMost(Waits.PATIENCE).until(() -> !accepted.isEmpty());
        UcxConnection served = Objects.requireNonNull(accepted.poll());
        Mono<Void> received = served.activeMessages().receive(ID).next().then();
        CompletableFuture<Void> got = received.toFuture();
        Waits.engineOf(served);
        connection.activeMessages().send(ID, Bytes.pattern(1, 100)).block(Waits.PATIENCE);

        Waits.get(got);
        connection.close().block(Waits.PATIENCE);
        server.disposeNow();
    }

    @ParameterizedTest
    @ValueSource(strings = {"rc_verbs/rxe0:1 RDMA", "rc_mlx5/mlx5_0:1 RDMA", "dc_mlx5/mlx5_0:1 RDMA", "ud_v RDMA",
        "ud_mlx5/mlx5_0:1 RDMA", "srd/efa_0:1 RDMA", "posix/memory SHARED_MEMORY", "sysv/memory SHARED_MEMORY",
        "cma/memory SHARED_MEMORY", "xpmem/memory SHARED_MEMORY", "self/memory SELF", "cuda_copy/cuda SELF",
        "cuda_ipc/cuda SHARED_MEMORY", "tcp/eth0 TCP", "tcpx/eth0 OTHER", "/ OTHER", " OTHER",
        "posix2/memory OTHER"})
    void kindsAreThoseOfTheNames(String nameAndKind) {
        int space = nameAndKind.lastIndexOf(' ');

        assertThat(UcxTransportKind.of(nameAndKind.substring(0, space)).name())
                .isEqualTo(nameAndKind.substring(space + 1));
    }

    @Test
    void allLanesCountAndAnEmptyListSaysNothing() {
        TransportRequirement rdma = TransportRequirement.of(RDMA);
        assertThat(rdma.allowsAll(List.of("rc_verbs/rxe0:1", "ud_verbs/rxe0:1"))).isTrue();
        assertThat(rdma.allowsAll(List.of("rc_verbs/rxe0:1", "tcp/eth0"))).as("one lane of tcp").isFalse();
        assertThat(rdma.allowsAll(List.of("rc_verbs/rxe0:1", "new/device"))).as("a transport of later").isFalse();
        assertThat(rdma.allowsAll(List.of())).isFalse();
        assertThat(TransportRequirement.of(SHARED_MEMORY).allowsAll(List.of("self/memory"))).isTrue();
        assertThat(TransportRequirement.of().isAny()).isTrue();
    }

    @Test
    void requirementsSurviveTheJourney() {
        for (int bits = 0; bits < 256; bits++) {
            TransportRequirement required = TransportRequirement.ofBits((byte) bits);
            assertThat(required.bits()).isEqualTo(bits & TransportRequirement.ANY.bits());
            assertThat(required.isAny()).isEqualTo(required.kinds().size() == UcxTransportKind.values().length);
            assertThat(required.and(TransportRequirement.ANY)).isEqualTo(required);
        }
        assertThat(Arrays.stream(UcxTransportKind.values()).map(UcxTransportKind::tag)).doesNotHaveDuplicates()
                .doesNotContain("mixed");
    }
}
