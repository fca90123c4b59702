package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.search.Search;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.UcxTransportKind;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.memory.MemoryPath;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.memory.UcxMemoryWindow;
import io.reactorucx.message.TaggedMessage;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.metrics.UcxMetrics;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.metrics.UcxMeters;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Messages, bytes, requests and waits are counted for each part of the API, on both sides. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class TrafficMetersTest implements NeedsUcx {

    private static final int ID = 33;
    private static final int LARGE = 300_000;
    private static final long POOL_BYTES = 8L << 20;
    private static final int MANY_IDS = 100_000;

    private final SimpleMeterRegistry ofClient = new SimpleMeterRegistry();
    private final SimpleMeterRegistry ofServer = new SimpleMeterRegistry();
    private final BlockingQueue<String> cancelled = new LinkedBlockingQueue<>();
    private Peers peers;

    @BeforeEach
    void connect() {
        assumeUcx();
        peers = Peers.connect(Route.POSIX_BY_SOCKET_ADDRESS, builder -> builder.maxBufferBytes(POOL_BYTES)
                .remoteMemoryAccess(true), UnaryOperator.identity(), UnaryOperator.identity());
        new UcxMetrics(peers.clientResources()).timingRequests(1).bindTo(ofClient);
        new UcxMetrics(peers.serverResources()).timingRequests(1).bindTo(ofServer);
    }

    @AfterEach
    void close() {
        if (peers != null) {
            for (UcxResources resources : List.of(peers.clientResources(), peers.serverResources())) {
                await().atMost(Waits.PATIENCE).untilAsserted(() -> RequestCounts.assertAllEnded(resources));
            }
            peers.close();
        }
    }

    private static double sum(SimpleMeterRegistry registry, UcxMeters meter, String... tags) {
        List<Meter> found = Search.in(registry).name(meter.getName()).tags(tags).meters().stream().toList();
        assertThat(found).as(meter + Arrays.toString(tags)).isNotEmpty();
        return found.stream().mapToDouble(each -> each.measure().iterator().next().getValue()).sum();
    }

    private static void awaitSum(double expected, SimpleMeterRegistry registry, UcxMeters meter, String... tags) {
        await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(sum(registry, meter, tags))
                .as(meter.getName() + Arrays.toString(tags)).isEqualTo(expected));
    }

    /** What one side has sent the other has received. */
    private static void awaitTraffic(SimpleMeterRegistry from, SimpleMeterRegistry to, String api, long messages,
            long bytes) {
        awaitSum(messages, from, UcxMeters.SENT_MESSAGES, "api", api);
        awaitSum(bytes, from, UcxMeters.SENT_BYTES, "api", api);
        awaitSum(messages, to, UcxMeters.RECEIVED_MESSAGES, "api", api);
        awaitSum(bytes, to, UcxMeters.RECEIVED_BYTES, "api", api);
    }

    @Test
    void messagesOfOutboundAreThoseOfInbound() {
        CompletableFuture<Long> received = peers.served().inbound().receiveByteArrays().take(13).count().toFuture();
        peers.client().outbound().sendByteArrays(Flux.range(0, 10).map(i -> new byte[i])).block(Waits.PATIENCE);
        peers.client().outbound().sendByteArrays(Flux.range(0, 3).map(i -> new byte[LARGE])).block(Waits.PATIENCE);

        assertThat(received).succeedsWithin(Waits.PATIENCE).isEqualTo(13L);
        awaitTraffic(ofClient, ofServer, "messages", 13, 45 + 3 * LARGE);
        awaitTraffic(ofServer, ofClient, "messages", 0, 0);
        awaitTraffic(ofClient, ofServer, "requests", 0, 0);
        awaitSum(3, ofServer, UcxMeters.FETCHED_OFFERS);
        awaitSum(0, ofServer, UcxMeters.DROPPED_OFFERS);
        awaitSum(0, ofServer, UcxMeters.HELD_OFFERS);
    }

    /** Echoes, and counts from 0 to what the request says, in messages of 4 bytes. */
    private final class Responder implements UcxResponder {

        @Override
        public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
            long length = request.length();
            if (length == 1) {
                request.release();
                return Mono.error(new IllegalStateException("as asked for"));
            }
            if (length == 2) {
                request.release();
                return Mono.<UcxBuffer>never().doOnCancel(() -> cancelled.add("cancelled"));
            }
            return Mono.just(request);
        }

        @Override
        public Flux<UcxBuffer> requestStream(UcxBuffer request) {
            int count = (int) request.length();
            request.release();
            return Flux.range(0, count).map(i -> peers.serverResources().buffers().acquire(4));
        }

        @Override
        public Mono<Void> fireAndForget(UcxBuffer request) {
            request.release();
            return Mono.empty();
        }
    }

    private UcxRequester requester() {
        peers.served().respond(new Responder()).subscribe(ignored -> { }, error -> { });
        Waits.engineOf(peers.served());
        return peers.client().requester();
    }

    private void awaitRequests(double success, double error, double cancels, double deadline) {
        for (SimpleMeterRegistry each : List.of(ofClient, ofServer)) {
            String side = each == ofClient ? "client" : "server";
            awaitSum(success, each, UcxMeters.REQUESTS, "side", side, "outcome", "success");
            awaitSum(error, each, UcxMeters.REQUESTS, "side", side, "outcome", "error");
            awaitSum(cancels, each, UcxMeters.REQUESTS, "side", side, "outcome", "cancelled");
            awaitSum(deadline, each, UcxMeters.REQUESTS, "side", side, "outcome", "deadline");
            awaitSum(0, each, UcxMeters.REQUESTS_IN_FLIGHT);
        }
        awaitSum(0, ofClient, UcxMeters.REQUESTS, "side", "server");
        awaitSum(0, ofServer, UcxMeters.REQUESTS, "side", "client");
    }

    @Test
    void requestsAndResponsesAreCountedWithTheirBytes() {
        UcxRequester requester = requester();
        requester.requestResponse(new byte[8]).repeat(9).blockLast(Waits.PATIENCE);
        awaitTraffic(ofClient, ofServer, "requests", 10, 80);
        awaitTraffic(ofServer, ofClient, "requests", 10, 80);
        requester.requestResponse(new byte[LARGE]).block(Waits.PATIENCE);
        awaitTraffic(ofClient, ofServer, "requests", 11, 80 + LARGE);
        awaitTraffic(ofServer, ofClient, "requests", 11, 80 + LARGE);
        requester.requestStream(new byte[5]).blockLast(Waits.PATIENCE);
        requester.withDeadline(Duration.ofSeconds(20)).requestResponse(new byte[9]).block(Waits.PATIENCE);
        requester.fireAndForget(new byte[7]).block(Waits.PATIENCE);
        awaitTraffic(ofClient, ofServer, "requests", 14, 80 + LARGE + 5 + 9 + 7);
        awaitTraffic(ofServer, ofClient, "requests", 11 + 5 + 1, 80 + LARGE + 5 * 4 + 9);
        awaitTraffic(ofClient, ofServer, "messages", 0, 0);
        awaitRequests(14, 0, 0, 0);
    }

    @Test
    void requestsAreCountedByTheirOutcome() throws InterruptedException {
        UcxRequester requester = requester();
        requester.requestResponse(new byte[3]).block(Waits.PATIENCE);
        requester.requestResponse(new byte[1]).onErrorComplete().block(Waits.PATIENCE);
        requester.withDeadline(Duration.ofSeconds(20)).requestResponse(new byte[1]).onErrorComplete()
                .block(Waits.PATIENCE);
        awaitRequests(1, 2, 0, 0);
        Disposable small = requester.requestResponse(new byte[2]).subscribe();
        Disposable general = requester.withDeadline(Duration.ofSeconds(20)).requestResponse(new byte[2]).subscribe();
        awaitSum(2, ofServer, UcxMeters.REQUESTS_IN_FLIGHT, "side", "server");
        awaitSum(2, ofClient, UcxMeters.REQUESTS_IN_FLIGHT, "side", "client");
        small.dispose();
        general.dispose();
        assertThat(cancelled.poll(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isNotNull();
        awaitRequests(1, 2, 2, 0);
        requester.withDeadline(Duration.ofMillis(5)).requestResponse(new byte[2]).onErrorComplete()
                .block(Waits.PATIENCE);
        awaitSum(1, ofClient, UcxMeters.REQUESTS, "side", "client", "outcome", "deadline");
        awaitSum(6, ofServer, UcxMeters.REQUESTS, "side", "server");
    }

    @Test
    void timedRequestsAreThoseThatHaveEnded() {
        UcxRequester requester = requester();
        requester.requestResponse(new byte[8]).repeat(99).blockLast(Waits.PATIENCE);
        awaitRequests(100, 0, 0, 0);
        FunctionTimer client = ofClient.get(UcxMeters.REQUEST_TIME.getName())
                .tags("side", "client", "outcome", "success").functionTimer();
        FunctionTimer server = ofServer.get(UcxMeters.REQUEST_TIME.getName())
                .tags("side", "server", "outcome", "success").functionTimer();
        assertThat(client.count()).isEqualTo(100);
        assertThat(server.count()).isEqualTo(100);
        assertThat(client.totalTime(TimeUnit.NANOSECONDS)).isGreaterThan(server.totalTime(TimeUnit.NANOSECONDS));

        new UcxMetrics(peers.clientResources()).timingRequests(10).bindTo(new SimpleMeterRegistry());
        requester.requestResponse(new byte[8]).repeat(99).blockLast(Waits.PATIENCE);
        assertThat(client.count()).as("and each tenth").isEqualTo(110);
        new UcxMetrics(peers.clientResources()).timingRequests(0).bindTo(new SimpleMeterRegistry());
        requester.requestResponse(new byte[8]).repeat(99).blockLast(Waits.PATIENCE);
        assertThat(client.count()).as("and no more").isEqualTo(110);
        awaitRequests(300, 0, 0, 0);
    }

    /** Not after the rest of the longer interval. */
    @Test
    void shorterIntervalOfTimedRequestsTakesEffectAtOnce() {
        new UcxMetrics(peers.clientResources()).timingRequests(1_000_000).bindTo(ofClient);
        UcxRequester requester = requester();
        requester.requestResponse(new byte[8]).repeat(9).blockLast(Waits.PATIENCE);
        FunctionTimer times = ofClient.get(UcxMeters.REQUEST_TIME.getName())
                .tags("side", "client", "outcome", "success").functionTimer();
        Waits.engineOf(peers.client());
        double before = times.count();
        assertThat(before).isLessThanOrEqualTo(1);

        new UcxMetrics(peers.clientResources()).timingRequests(1).bindTo(new SimpleMeterRegistry());
        requester.requestResponse(new byte[8]).repeat(9).blockLast(Waits.PATIENCE);
        awaitRequests(20, 0, 0, 0);
        assertThat(times.count()).isEqualTo(before + 10);
    }

    @Test
    void activeMessagesTagsAndStreamsAreCounted() {
        UcxConnection client = peers.client();
        Inbox inbox = Inbox.of(peers.served(), ID);
        client.activeMessages().send(ID, new byte[6]).block(Waits.PATIENCE);
        inbox.next();
        CompletableFuture<Void> sent = client.activeMessages().send(ID, MemorySegment.NULL, Bytes.zeroed(LARGE),
                AmProtocol.RENDEZVOUS).toFuture();
        Objects.requireNonNull(inbox.next().fetch(peers.serverResources().buffers()).block(Waits.PATIENCE)).release();
        Waits.get(sent);
        awaitTraffic(ofClient, ofServer, "active_messages", 2, 6 + LARGE);
        awaitSum(1, ofServer, UcxMeters.FETCHED_OFFERS);
        PendingOperation given = PendingOperation.of(client.activeMessages().send(ID, MemorySegment.NULL,
                Bytes.zeroed(LARGE), AmProtocol.RENDEZVOUS));
        inbox.next().discard();
        given.assertDone();
        awaitSum(1, ofServer, UcxMeters.DROPPED_OFFERS);
        awaitSum(6 + LARGE, ofServer, UcxMeters.RECEIVED_BYTES, "api", "active_messages");
        inbox.cancel();

        CompletableFuture<TaggedMessage> tagged = peers.served().tags().receive(1, Bytes.zeroed(500)).toFuture();
        client.tags().send(1, Bytes.zeroed(300)).block(Waits.PATIENCE);
        Waits.get(tagged);
        awaitTraffic(ofClient, ofServer, "tags", 1, 300);
        CompletableFuture<UcxBuffer> streamed = peers.served().streams().receive().next().toFuture();
        client.streams().send(Bytes.zeroed(77)).block(Waits.PATIENCE);
        UcxBuffer chunk = Waits.get(streamed);
        assertThat(chunk.length()).isEqualTo(77);
        chunk.release();
        awaitSum(1, ofClient, UcxMeters.SENT_MESSAGES, "api", "streams");
        awaitSum(77, ofClient, UcxMeters.SENT_BYTES, "api", "streams");
        awaitSum(77, ofServer, UcxMeters.RECEIVED_BYTES, "api", "streams");
        // The receive of what would come next has memory until the connection ends.
        client.close().block(Waits.PATIENCE);
    }

    @Test
    void memoryIsCountedByAccessAndPath() {
        UcpMemory memory = peers.serverResources().allocateMemory(10_000);
        UcxMemoryWindow window = peers.serverResources().exportMemory(memory,
                EnumSet.allOf(MemoryRight.class));
        RemoteMemory served = peers.client().memory(window.descriptor(), MemoryPath.SERVED);
        served.put(0, Bytes.zeroed(300)).then(served.get(0, Bytes.zeroed(50))).then(served.get(0, Bytes.zeroed(7)))
                .then(served.atomics().add(0, 1)).block(Waits.PATIENCE);
        RemoteMemory direct = peers.client().memory(window.descriptor(), MemoryPath.ONE_SIDED);
        direct.put(0, Bytes.zeroed(4000)).then(direct.flush()).then(direct.get(0, Bytes.zeroed(9)))
                .block(Waits.PATIENCE);

        assertAccess("served", "put", 1, 300);
        assertAccess("served", "get", 2, 57);
        assertAccess("served", "atomic", 1, 8);
        assertAccess("one_sided", "put", 1, 4000);
        assertAccess("one_sided", "get", 1, 9);
        assertAccess("one_sided", "atomic", 0, 0);
        awaitSum(2, ofServer, UcxMeters.SERVED_REQUESTS, "access", "get", "outcome", "success");
        awaitSum(300, ofServer, UcxMeters.SERVED_BYTES, "access", "put");
        awaitSum(8, ofServer, UcxMeters.SERVED_BYTES, "access", "atomic");
        served.close();
        direct.close();
        Waits.engineOf(peers.client());
        window.revoke().block(Waits.PATIENCE);
        memory.close();
    }

    private void assertAccess(String path, String access, long count, long bytes) {
        awaitSum(count, ofClient, UcxMeters.MEMORY_ACCESSES, "path", path, "access", access);
        awaitSum(bytes, ofClient, UcxMeters.MEMORY_ACCESSED, "path", path, "access", access);
    }

    @Test
    void sendersThatWaitForCreditAreCounted() {
        List<byte[]> received = new CopyOnWriteArrayList<>();
        BaseSubscriber<byte[]> slow = new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                subscription.request(2);
            }

            @Override
            protected void hookOnNext(byte[] message) {
                received.add(message);
            }
        };
        peers.served().inbound().receiveByteArrays().subscribe(slow);
        CompletableFuture<Void> sent = peers.client().outbound().sendByteArrays(Flux.range(0, 5)
                .map(i -> new byte[10])).toFuture();

        await().atMost(Waits.PATIENCE).until(() -> received.size() == 2);
        awaitSum(1, ofClient, UcxMeters.CREDIT_WAITERS);
        awaitSum(0, ofServer, UcxMeters.CREDIT_WAITERS);
        double before = sum(ofClient, UcxMeters.CREDIT_WAIT);
        slow.request(3);
        Waits.get(sent);
        awaitSum(0, ofClient, UcxMeters.CREDIT_WAITERS);
        awaitSum(before + 1, ofClient, UcxMeters.CREDIT_WAIT);
        assertThat(ofClient.get(UcxMeters.CREDIT_WAIT.getName()).functionTimer().totalTime(TimeUnit.NANOSECONDS))
                .isPositive();
    }

    @Test
    void waitsForMemoryOfThePoolAreCounted() {
        UcxBuffer all = peers.clientResources().buffers().acquire(POOL_BYTES);
        CompletableFuture<UcxBuffer> waiting = peers.clientResources().buffers().acquireLater(100).toFuture();
        Disposable cancels = peers.clientResources().buffers().acquireLater(100).subscribe();
        awaitSum(2, ofClient, UcxMeters.BUFFER_WAITERS);
        assertThat(sum(ofClient, UcxMeters.BUFFER_WAITERS_LIMIT)).isEqualTo(1024);
        assertThat(sum(ofClient, UcxMeters.BUFFER_WAIT)).isZero();
        cancels.dispose();
        awaitSum(1, ofClient, UcxMeters.BUFFER_WAIT);
        all.release();
        Waits.get(waiting).release();
        awaitSum(2, ofClient, UcxMeters.BUFFER_WAIT);
        awaitSum(0, ofClient, UcxMeters.BUFFER_WAITERS);
        assertThat(ofClient.get(UcxMeters.BUFFER_WAIT.getName()).functionTimer().totalTime(TimeUnit.NANOSECONDS))
                .isPositive();
    }

    @Test
    void errorsAreCountedByStatus() {
        CompletableFuture<TaggedMessage> truncated = peers.served().tags().receive(3, Bytes.zeroed(9)).toFuture();
        peers.client().tags().send(3, Bytes.zeroed(10)).block(Waits.PATIENCE);
        Waits.failure(truncated);
        awaitSum(1, ofServer, UcxMeters.ERRORS, "status", "message_truncated");
        Disposable never = peers.served().tags().receive(4, Bytes.zeroed(9)).subscribe();
        Waits.engineOf(peers.served());
        never.dispose();
        awaitSum(1, ofServer, UcxMeters.ERRORS, "status", UcxStatus.CANCELED.name().toLowerCase(Locale.ROOT));
        awaitSum(2, ofServer, UcxMeters.ERRORS);
        awaitSum(2, ofServer, UcxMeters.OPERATIONS, "outcome", "error");
    }

    @Test
    void connectionsAreShownByState() {
        awaitSum(1, ofServer, UcxMeters.CONNECTIONS, "state", "connected");
        awaitSum(1, ofServer, UcxMeters.SERVER_CONNECTIONS);
        UcxConnection other = peers.connect();
        peers.nextServed();
        awaitSum(2, ofServer, UcxMeters.CONNECTIONS, "state", "connected");
        awaitSum(2, ofServer, UcxMeters.SERVER_CONNECTIONS);
        awaitSum(0, ofServer, UcxMeters.CONNECTIONS, "state", "closing");
        awaitSum(2, ofServer, UcxMeters.ESTABLISHED_CONNECTIONS, "transport",
                UcxTransportKind.of(other.transports().getFirst()).tag());
        awaitSum(2, ofServer, UcxMeters.ESTABLISHED_CONNECTIONS);
        other.close().block(Waits.PATIENCE);
        awaitSum(1, ofServer, UcxMeters.CONNECTIONS);
        awaitSum(1, ofServer, UcxMeters.ESTABLISHED_CONNECTIONS);
        awaitSum(1, ofServer, UcxMeters.SERVER_CONNECTIONS);
    }

    /** Real tags and requests; that thousands of hosts add nothing is shown without them. */
    @Test
    void manyIdsAndRequestsAddNoSeries() {
        UcxRequester requester = requester();
        int before = ofServer.getMeters().size();
        Flux.range(0, MANY_IDS).flatMap(id -> Mono.when(peers.served().tags().receive(id, MemorySegment.NULL),
                peers.client().tags().send(id, MemorySegment.NULL)), 256).blockLast(Waits.PATIENCE);
        Flux.range(0, MANY_IDS).flatMap(id -> requester.requestResponse(new byte[8]), 256).blockLast(Waits.PATIENCE);

        awaitTraffic(ofClient, ofServer, "tags", MANY_IDS, 0);
        awaitSum(MANY_IDS, ofServer, UcxMeters.REQUESTS, "outcome", "success");
        assertThat(ofServer.getMeters()).hasSize(before);
        assertThat(ofClient.getMeters()).hasSize(before);
    }
}
