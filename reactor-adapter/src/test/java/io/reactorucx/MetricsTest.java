package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.search.Search;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.engine.OperationKind;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.message.TaggedMessage;
import io.reactorucx.metrics.UcxMetrics;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.DropReason;
import io.reactorucx.transport.metrics.UcxMeters;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Flux;
import reactor.util.retry.Retry;

/** Meters are those that are documented, and say what was sent. */
@org.junit.jupiter.api.Tag("slow")
@ExtendWith(NoLeaks.class)
class MetricsTest implements NeedsUcx {

    private static final int ID = 31;
    private static final long WINDOW_BYTES = 5000;

    private final SimpleMeterRegistry ofClient = new SimpleMeterRegistry();
    private final SimpleMeterRegistry ofServer = new SimpleMeterRegistry();
    private Peers peers;
    private UcpMemory window;

    @BeforeEach
    void connect() {
        assumeUcx();
        peers = Peers.connect(Route.POSIX_BY_SOCKET_ADDRESS, builder -> builder.engines(2), UnaryOperator.identity(),
                UnaryOperator.identity());
        new UcxMetrics(peers.clientResources()).showingPeers(2).bindTo(ofClient);
        new UcxMetrics(peers.serverResources()).showingPeers(2).bindTo(ofServer);
        window = peers.serverResources().allocateMemory(WINDOW_BYTES);
    }

    @AfterEach
    void close() {
        if (peers != null) {
            window.close();
            peers.close();
        }
    }

    /** The sum over all engines and whatever else it is split by. */
    private static double sum(SimpleMeterRegistry registry, UcxMeters meter, String... tags) {
        List<Meter> found = Search.in(registry).name(meter.getName()).tags(tags).meters().stream().toList();
        assertThat(found).as(meter + Arrays.toString(tags)).isNotEmpty();
        return found.stream().mapToDouble(each -> each.measure().iterator().next().getValue()).sum();
    }

    private static double operations(SimpleMeterRegistry registry, OperationKind kind, String outcome) {
        return sum(registry, UcxMeters.OPERATIONS, "kind", kind.ucxName(), "outcome", outcome);
    }

    private static double bytes(SimpleMeterRegistry registry, OperationKind kind) {
        return sum(registry, UcxMeters.OPERATION_BYTES, "kind", kind.ucxName());
    }

    private static void awaitSum(double expected, SimpleMeterRegistry registry, UcxMeters meter) {
        await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(sum(registry, meter)).as(meter.getName())
                .isEqualTo(expected));
    }

    /** 7 active messages of 1 to 7 bytes and a rendezvous of 60000, and some of everything else. */
    private void talk() {
        UcxConnection client = peers.client();
        Inbox inbox = Inbox.of(peers.served(), ID);
        for (int size = 1; size <= 7; size++) {
            client.activeMessages().send(ID, new byte[size]).block(Waits.PATIENCE);
            assertThat(inbox.next().length()).isEqualTo(size);
        }
        PendingOperation offered = PendingOperation.of(client.activeMessages()
                .send(ID, MemorySegment.NULL, Bytes.zeroed(60_000), AmProtocol.RENDEZVOUS));
        ActiveMessage offer = inbox.next();
        awaitSum(1, ofServer, UcxMeters.HELD_OFFERS);
        awaitSum(1, ofClient, UcxMeters.IN_FLIGHT);
        UcxBuffer buffer = Objects.requireNonNull(offer.fetch(peers.serverResources().buffers()).block(Waits.PATIENCE));
        assertThat(sum(ofServer, UcxMeters.LEASED_BYTES)).isEqualTo(65_536);
        buffer.release();
        offered.assertDone();
        inbox.cancel();
        Waits.engineOf(peers.served());

        CompletableFuture<TaggedMessage> tagged = peers.served().tags().receive(1, Bytes.zeroed(500)).toFuture();
        Waits.engineOf(peers.served());
        awaitSum(1, ofServer, UcxMeters.IN_FLIGHT);
        client.tags().send(1, Bytes.zeroed(300)).block(Waits.PATIENCE);
        Waits.get(tagged);
        CompletableFuture<TaggedMessage> synced = peers.served().tags().receive(2, Bytes.zeroed(20)).toFuture();
        client.tags().sendSync(2, Bytes.zeroed(20)).block(Waits.PATIENCE);
        Waits.get(synced);
        CompletableFuture<TaggedMessage> truncated = peers.served().tags().receive(3, Bytes.zeroed(9)).toFuture();
        client.tags().send(3, Bytes.zeroed(10)).block(Waits.PATIENCE);
        Waits.failure(truncated);

        RemoteMemory remote = client.memory(window.descriptor());
        remote.put(0, Bytes.zeroed(2000)).then(remote.flush()).then(remote.get(7, Bytes.zeroed(90)))
                .block(Waits.PATIENCE);
        remote.getFlux(1000, 1).doOnNext(UcxBuffer::release).blockLast(Waits.PATIENCE);
        remote.close();
        Waits.engineOf(client);
    }

    @Test
    void everyDocumentedMeterIsThereAndNoOther() {
        talk();

        for (SimpleMeterRegistry registry : List.of(ofClient, ofServer)) {
            assertThat(registry.getMeters().stream().map(meter -> meter.getId().getName()).collect(Collectors.toSet()))
                    .isEqualTo(Stream.of(UcxMeters.values()).map(UcxMeters::getName).collect(Collectors.toSet()));
            for (UcxMeters documented : UcxMeters.values()) {
                assertThat(Search.in(registry).name(documented.getName()).meters()).allSatisfy(meter -> {
                    assertThat(meter.getId().getType()).as(documented.getName()).isEqualTo(documented.getType());
                    assertThat(meter.getId().getBaseUnit()).as(documented.getName())
                            .isEqualTo(documented.getBaseUnit());
                    assertThat(meter.getId().getDescription()).as(documented.getName())
                            .isEqualTo(documented.description().replace("`", "")).isNotBlank();
                    assertThat(meter.getId().getTags().stream().map(Tag::getKey)).as(documented.getName())
                            .containsExactlyInAnyOrderElementsOf(Stream.of(documented.getKeyNames())
                            .map(KeyName::asString).toList());
                    assertThat(meter.measure().iterator().next().getValue()).as(documented.getName())
                            .isGreaterThanOrEqualTo(0);
                });
            }
        }
    }

    @Test
    void operationsAndBytesAreThoseThatWereAskedFor() {
        talk();

        assertThat(operations(ofClient, OperationKind.AM_SEND, "success")).isEqualTo(8);
        assertThat(bytes(ofClient, OperationKind.AM_SEND)).isEqualTo(28 + 60_000);
        assertThat(operations(ofServer, OperationKind.AM_FETCH, "success")).isEqualTo(1);
        assertThat(bytes(ofServer, OperationKind.AM_FETCH)).isEqualTo(60_000);
        assertThat(operations(ofClient, OperationKind.TAG_SEND, "success")).isEqualTo(2);
        assertThat(bytes(ofClient, OperationKind.TAG_SEND)).isEqualTo(310);
        assertThat(operations(ofClient, OperationKind.TAG_SEND_SYNC, "success")).isEqualTo(1);
        assertThat(bytes(ofClient, OperationKind.TAG_SEND_SYNC)).isEqualTo(20);
        assertThat(operations(ofServer, OperationKind.TAG_RECEIVE, "success")).isEqualTo(2);
        assertThat(operations(ofServer, OperationKind.TAG_RECEIVE, "error")).as("the truncated one").isEqualTo(1);
        assertThat(bytes(ofServer, OperationKind.TAG_RECEIVE)).isEqualTo(320);
        assertThat(operations(ofClient, OperationKind.PUT, "success")).isEqualTo(1);
        assertThat(bytes(ofClient, OperationKind.PUT)).isEqualTo(2000);
        assertThat(operations(ofClient, OperationKind.GET, "success")).isEqualTo(1 + 5);
        assertThat(bytes(ofClient, OperationKind.GET)).isEqualTo(90 + WINDOW_BYTES);
        assertThat(operations(ofClient, OperationKind.FLUSH, "success")).isEqualTo(1);
        assertThat(sum(ofClient, UcxMeters.OPERATIONS, "outcome", "success")).as("no other operation")
                .isEqualTo(8 + 2 + 1 + 1 + 6 + 1);
        assertThat(sum(ofClient, UcxMeters.OPERATIONS, "outcome", "error")).isZero();
        assertThat(sum(ofServer, UcxMeters.OPERATIONS, "outcome", "success")).as("no other operation").isEqualTo(1 + 2);
        assertNothingIsUnderWay();
    }

    private void assertNothingIsUnderWay() {
        for (SimpleMeterRegistry registry : List.of(ofClient, ofServer)) {
            for (UcxMeters meter : EnumSet.of(UcxMeters.IN_FLIGHT, UcxMeters.HELD_OFFERS, UcxMeters.LEASED_BYTES,
                    UcxMeters.QUEUED_COMMANDS)) {
                awaitSum(0, registry, meter);
            }
        }
    }

    @Test
    void engineMetersAreTheEnginesCounters() {
        talk();
        List<ProgressEngine> engines = peers.clientResources().engines();
        assertThat(engines).hasSize(2);
        for (ProgressEngine engine : engines) {
            String[] tag = {"engine", engine.name()};
            await().atMost(Waits.PATIENCE).untilAsserted(() -> {
                assertThat(sum(ofClient, UcxMeters.SLEEPS, tag)).isPositive()
                        .isLessThanOrEqualTo(engine.counters().sleeps());
                assertThat(sum(ofClient, UcxMeters.EMPTY_STEPS, tag)).isPositive();
            });
            assertThat(sum(ofClient, UcxMeters.EMPTY_STEPS, tag)).isLessThan(sum(ofClient, UcxMeters.STEPS, tag));
            assertThat(sum(ofClient, UcxMeters.STEPS, tag)).isLessThanOrEqualTo(engine.counters().steps());
            assertThat(sum(ofClient, UcxMeters.IN_FLIGHT_LIMIT, tag)).isEqualTo(engine.config().maxInFlight());
            assertThat(sum(ofClient, UcxMeters.COMMANDS, tag)).isPositive();
        }
        double before = sum(ofClient, UcxMeters.SIGNALS);
        await().atMost(Waits.PATIENCE).untilAsserted(() -> {
            Waits.engineOf(peers.client());
            assertThat(sum(ofClient, UcxMeters.SIGNALS)).as("one more sleep was ended").isGreaterThan(before);
        });
    }

    @Test
    void memoryAndConnectionsAreThoseThatThereAre() {
        UcxBufferPool pool = peers.clientResources().buffers();
        UcxBuffer lease = pool.acquire(5000);
        assertThat(sum(ofClient, UcxMeters.LEASED_BYTES)).isEqualTo(8192);
        assertThat(sum(ofClient, UcxMeters.SLAB_BYTES)).isEqualTo(pool.slabBytes()).isPositive();
        assertThat(sum(ofClient, UcxMeters.SLAB_LIMIT)).isEqualTo(256L << 20);
        double registered = sum(ofClient, UcxMeters.REGISTERED_BYTES);
        UcpMemory memory = peers.clientResources().allocateMemory(10_000);
        assertThat(sum(ofClient, UcxMeters.REGISTERED_BYTES)).isEqualTo(registered + 10_000);
        memory.close();
        assertThat(sum(ofClient, UcxMeters.REGISTERED_BYTES)).isEqualTo(registered);
        lease.release();
        assertThat(sum(ofClient, UcxMeters.LEASED_BYTES)).isZero();

        assertThat(sum(ofClient, UcxMeters.CONNECTIONS)).isEqualTo(1);
        UcxConnection other = peers.connect();
        assertThat(sum(ofClient, UcxMeters.CONNECTIONS)).isEqualTo(2);
        awaitSum(2, ofServer, UcxMeters.CONNECTIONS);
        other.close().block(Waits.PATIENCE);
        awaitSum(1, ofClient, UcxMeters.CONNECTIONS);
        awaitSum(1, ofServer, UcxMeters.CONNECTIONS);
    }

    @Test
    void poolsReconnectsAndLimitsAreThoseThatThereAre() {
        assertThat(sum(ofServer, UcxMeters.SERVER_CONNECTIONS_LIMIT)).isEqualTo(peers.server().maxConnections());
        assertThat(sum(ofClient, UcxMeters.SERVER_CONNECTIONS_LIMIT)).isZero();
        UcxConnectionPool pool = UcxConnectionPool.builder(peers.unconnected()).minConnections(2).maxConnections(2)
                .build();
        assertThat(sum(ofClient, UcxMeters.POOLED_CONNECTIONS_LIMIT)).isEqualTo(2);
        pool.warmup().block(Waits.PATIENCE);
        PooledConnection taken = Objects.requireNonNull(pool.acquire().block(Waits.PATIENCE));
        awaitSum(1, ofClient, UcxMeters.ACQUIRED_CONNECTIONS);
        awaitSum(1, ofClient, UcxMeters.IDLE_CONNECTIONS);
        PooledConnection second = Objects.requireNonNull(pool.acquire().block(Waits.PATIENCE));
        CompletableFuture<PooledConnection> waiting = pool.acquire().toFuture();
        awaitSum(1, ofClient, UcxMeters.PENDING_ACQUIRES);
        taken.release().then(second.release()).block(Waits.PATIENCE);
        Waits.get(waiting).release().block(Waits.PATIENCE);
        pool.disposeNow(Waits.PATIENCE);
        assertThat(sum(ofClient, UcxMeters.POOLED_CONNECTIONS_LIMIT)).isZero();

        UcxReconnectingConnection connection = peers.unconnected().reconnect(Retry.fixedDelay(9, Duration.ofMillis(10)))
                .connectNow(Waits.PATIENCE);
        Objects.requireNonNull(connection.connection().block(Waits.PATIENCE)).close().block(Waits.PATIENCE);
        awaitSum(1, ofClient, UcxMeters.RECONNECTS);
        assertThat(sum(ofClient, UcxMeters.PENDING_RECONNECTS)).isZero();
        peers.server().disposeLater(Duration.ZERO, Duration.ofSeconds(10)).subscribe();
        Waits.failure(peers.unconnected().connect().toFuture());
        connection.disposeNow(Waits.PATIENCE);
    }

    @Test
    void flowControlledMessagesAreThoseThatWereSentAndAskedFor() {
        CompletableFuture<Long> received = peers.served().inbound().receiveByteArrays().take(20).count().toFuture();
        awaitSum(20, ofClient, UcxMeters.MESSAGE_CREDIT);
        peers.client().outbound().sendByteArrays(Flux.range(0, 15).map(i -> new byte[i % 5 == 0 ? 50_000 : 100]))
                .block(Waits.PATIENCE);

        awaitSum(15, ofServer, UcxMeters.RECEIVED_MESSAGES);
        awaitSum(15, ofClient, UcxMeters.SENT_MESSAGES);
        awaitSum(5, ofClient, UcxMeters.MESSAGE_CREDIT);
        assertThat(sum(ofClient, UcxMeters.MESSAGE_BATCHES)).isPositive();
        peers.client().outbound().sendByteArrays(Flux.range(0, 5).map(i -> new byte[3])).block(Waits.PATIENCE);
        assertThat(received).succeedsWithin(Waits.PATIENCE).isEqualTo(20L);
        for (SimpleMeterRegistry registry : List.of(ofClient, ofServer)) {
            awaitSum(0, registry, UcxMeters.MESSAGE_CREDIT);
            awaitSum(0, registry, UcxMeters.MESSAGE_HELD_BYTES);
            awaitSum(0, registry, UcxMeters.STREAMS);
            awaitSum(0, registry, UcxMeters.VIOLATIONS);
        }
        awaitSum(20, ofServer, UcxMeters.RECEIVED_MESSAGES);
    }

    @Test
    void messagesWithoutAReceiverAreCounted() {
        Inbox.of(peers.served(), ID).cancel();
        Waits.engineOf(peers.served());
        for (int i = 0; i < 5; i++) {
            peers.client().activeMessages().send(ID, new byte[1]).block(Waits.PATIENCE);
        }
        awaitSum(5, ofServer, UcxMeters.DROPPED_MESSAGES);
        assertThat(sum(ofClient, UcxMeters.DROPPED_MESSAGES)).isZero();
    }

    @Test
    void noTrafficAddsMetersOrTagValues() {
        // The first reading shows the first peer.
        sum(ofClient, UcxMeters.PEER_CONNECTIONS);
        int meters = ofClient.getMeters().size();
        talk();
        for (int i = 0; i < 20; i++) {
            peers.client().tags().send(1000 + i, Bytes.zeroed(i)).block(Waits.PATIENCE);
            peers.served().tags().receive(1000 + i, Bytes.zeroed(i)).block(Waits.PATIENCE);
            Inbox.of(peers.served(), 100 + i).cancel();
        }
        UcxConnection other = peers.connect();
        new UcxMetrics(peers.clientResources()).showingPeers(2).bindTo(ofClient);
        sum(ofClient, UcxMeters.PEER_CONNECTIONS);

        assertThat(ofClient.getMeters()).hasSize(meters);
        Set<String> values = new TreeSet<>();
        ofClient.getMeters().forEach(meter -> meter.getId().getTags()
                .forEach(tag -> values.add(tag.getKey() + "=" + tag.getValue())));
        Set<String> bounded = new TreeSet<>(Set.of("outcome=success", "outcome=error", "outcome=cancelled",
                "outcome=deadline", "side=client", "side=server", "access=put", "access=get", "access=atomic",
                "path=one_sided", "path=served", "state=connecting", "state=connected", "state=closing",
                "api=messages", "api=requests", "api=active_messages", "api=tags", "api=streams", "phi=0.5",
                "phi=0.9", "phi=0.99", "phi=0.999", "phi=1", "peer=127.0.0.1", "peer=other"));
        Stream.of(UcxStatus.values()).filter(status -> status != UcxStatus.OK && status != UcxStatus.IN_PROGRESS)
                .forEach(status -> bounded.add("status=" + status.name().toLowerCase(Locale.ROOT)));
        peers.clientResources().engines().forEach(engine -> bounded.add("engine=" + engine.name()));
        Stream.of(OperationKind.values()).forEach(kind -> bounded.add("kind=" + kind.ucxName()));
        Stream.of("handler", "request", "message", "ucp", "memory", "connection", "connect", "engine", "other")
                .forEach(operation -> bounded.add("operation=" + operation));
        Stream.of("rdma", "shm", "self", "tcp", "other", "mixed").forEach(kind -> bounded.add("transport=" + kind));
        Stream.of("transport", "heartbeat").forEach(cause -> bounded.add("cause=" + cause));
        Stream.of("version", "mismatch", "authentication", "protocol", "admission", "timeout", "peer")
                .forEach(reason -> bounded.add("reason=" + reason));
        Stream.of(DropReason.values()).forEach(reason -> bounded.add("reason=" + reason.name()
                .toLowerCase(Locale.ROOT)));
        assertThat(values).isEqualTo(bounded);
        other.close().block(Waits.PATIENCE);
    }

    @Test
    void twoResourcesInOneRegistryNeedATagToTellThemApart() {
        SimpleMeterRegistry shared = new SimpleMeterRegistry();
        new UcxMetrics(peers.clientResources(), Tags.of("role", "client")).showingPeers(2).bindTo(shared);
        new UcxMetrics(peers.serverResources(), Tags.of("role", "server")).showingPeers(2).bindTo(shared);
        talk();

        assertThat(shared.getMeters()).hasSize(2 * ofClient.getMeters().size());
        assertThat(sum(shared, UcxMeters.OPERATIONS, "role", "client", "kind", "am_send")).isEqualTo(8);
        assertThat(sum(shared, UcxMeters.OPERATIONS, "role", "server", "kind", "am_send")).isZero();
        assertThat(sum(shared, UcxMeters.REGISTERED_BYTES, "role", "server")).isGreaterThanOrEqualTo(WINDOW_BYTES);
    }

    @Test
    void metersOfClosedResourcesAreRemovedAndNoOthers() {
        SimpleMeterRegistry shared = new SimpleMeterRegistry();
        new UcxMetrics(peers.clientResources(), Tags.of("role", "client")).showingPeers(1).bindTo(shared);
        new UcxMetrics(peers.serverResources(), Tags.of("role", "server")).bindTo(shared);
        assertThat(sum(shared, UcxMeters.PEER_CONNECTIONS, "role", "client")).as("before the first is shown").isZero();
        assertThat(sum(shared, UcxMeters.PEER_CONNECTIONS, "role", "client")).isEqualTo(1);
        int all = shared.getMeters().size();
        long ofRole = shared.getMeters().stream().filter(each -> "client".equals(each.getId().getTag("role"))).count();
        talkBriefly();
        peers.clientResources().disposeNow();

        assertThat(ofClient.getMeters()).isEmpty();
        assertThat(shared.getMeters()).hasSize((int) (all - ofRole))
                .allMatch(each -> "server".equals(each.getId().getTag("role")));
    }

    private void talkBriefly() {
        peers.client().activeMessages().send(ID, new byte[1]).block(Waits.PATIENCE);
    }

    @Test
    void metersDoNotKeepResourcesAlive() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        WeakReference<UcxResources> resources = shownAndDisposed(registry);

        await().atMost(Waits.PATIENCE).untilAsserted(() -> {
            System.gc();
            assertThat(resources.get()).isNull();
        });
        assertThat(registry.getMeters()).isEmpty();
    }

    private static WeakReference<UcxResources> shownAndDisposed(SimpleMeterRegistry registry) {
        UcxResources resources = UcxResources.builder().transports("tcp").build();
        new UcxMetrics(resources).bindTo(registry);
        assertThat(sum(registry, UcxMeters.CONNECTIONS)).isZero();
        resources.disposeNow();
        return new WeakReference<>(resources);
    }

    @Test
    void missingArgumentsAreNamed() {
        assertThatThrownBy(() -> new UcxMetrics(null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("resources");
        assertThatThrownBy(() -> new UcxMetrics(peers.clientResources(), null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("tags");
        assertThatThrownBy(() -> new UcxMetrics(peers.clientResources()).bindTo(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("registry");
        UcxMetrics metrics = new UcxMetrics(peers.clientResources());
        assertThatThrownBy(() -> metrics.timingRequests(-1)).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("every -1: must be in 0..1000000");
        assertThatThrownBy(() -> metrics.showingPeers(0)).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("maxPeers 0: must be in 1..10000");
    }
}
