package io.reactorucx.examples.dashboard.grafana;

import com.sun.net.httpserver.HttpServer;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.reactorucx.RemoteMemory;
import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxConnectionPool;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.memory.UcxMemoryWindow;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.message.TaggedBuffer;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.metrics.UcxMetrics;
import io.reactorucx.netty.UcxNettyConfig;
import io.reactorucx.netty.UcxNettyMetrics;
import io.reactorucx.netty.resources.UcxLoopResources;
import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.ConnectionProvider;

/**
 * A client, a server and loops of Netty that do what the soak does, at a rate that leaves the processor to others, and
 * their meters for Prometheus.
 */
final class MixedLoad implements AutoCloseable {

    private static final Duration LIMIT = TestTime.seconds(20);
    private static final int ECHO = 1;
    private static final int ECHOED = 2;
    private static final long TAG = 3;
    private static final int SMALL = 64;
    private static final int LARGE = 200_000;
    private static final int MEMORY_BYTES = 1 << 20;
    private static final int MAX_IN_FLIGHT = 8;
    /** Each so-manieth request is cancelled. */
    private static final long CANCELLED = 25;

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final UcxResources clients = UcxResources.create();
    private final UcxResources servers = UcxResources.create();
    private final UcxLoopResources loops = UcxLoopResources.create("mixed", 1, UcxNettyConfig.DEFAULT);
    private final UcpMemory sources = clients.allocateMemory(MEMORY_BYTES);
    private final UcpMemory memory = servers.allocateMemory(MEMORY_BYTES);
    private final UcxMemoryWindow window = servers.exportMemory(memory, EnumSet.allOf(MemoryRight.class));
    private final UcxBoundServer server;
    private final UcxClient client;
    /** Responds to requests, and sends nothing for which a visitor would have to wait. */
    private final UcxBoundServer responder;
    private final UcxClient visitor;
    private final DisposableServer web;
    private final ConnectionProvider provider = ConnectionProvider.create("mixed", MAX_IN_FLIGHT);
    private final HttpServer scraped;
    private final AtomicLong done = new AtomicLong();

    MixedLoad() throws IOException {
        new UcxMetrics(clients, Tags.of("role", "client")).timingRequests(1).bindTo(registry);
        new UcxMetrics(servers, Tags.of("role", "server")).timingRequests(1).bindTo(registry);
        new UcxNettyMetrics(loops.factory()).bindTo(registry);
        server = UcxServer.create(servers).bindAddress("127.0.0.1", 0).handle(MixedLoad::serve).bindNow();
        client = UcxClient.create(clients).remoteAddress("127.0.0.1", server.port());
        responder = UcxServer.create(servers).bindAddress("127.0.0.1", 0).respond(new Echo()).bindNow();
        visitor = UcxClient.create(clients).remoteAddress("127.0.0.1", responder.port());
        web = reactor.netty.http.server.HttpServer.create().host("127.0.0.1").port(0).runOn(loops)
                .handle((request, response) -> response.sendString(Mono.just("fine"))).bindNow();
        scraped = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        scraped.createContext("/actuator/prometheus", exchange -> {
            byte[] text = registry.scrape().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
            exchange.sendResponseHeaders(200, text.length);
            exchange.getResponseBody().write(text);
            exchange.close();
        });
        scraped.start();
    }

    /** {@return host and port of the meters} */
    String target() {
        return "127.0.0.1:" + scraped.getAddress().getPort();
    }

    /** {@return how many operations have ended well} */
    long done() {
        return done.get();
    }

    private static Mono<Void> serve(UcxConnection connection) {
        return Mono.when(connection.outbound().send(connection.inbound().receive()),
                connection.respond(new Echo()),
                connection.activeMessages().receive(ECHO).concatMap(message -> connection.activeMessages()
                        .send(ECHOED, new byte[(int) message.length()]))
                        .doOnDiscard(ActiveMessage.class, ActiveMessage::discard),
                connection.tags().receiveAll(TAG, -1, LARGE).doOnNext(TaggedBuffer::dispose));
    }

    private static final class Echo implements UcxResponder {

        @Override
        public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
            return Mono.just(request);
        }

        @Override
        public Flux<UcxBuffer> requestStream(UcxBuffer request) {
            return Flux.range(0, 20).map(i -> request.retain()).doFinally(signal -> request.release());
        }
    }

    /** Makes the load for a time, and closes its connection. An operation that fails ends it, and the test with it. */
    void run(Duration time) {
        UcxConnection connection = client.connectNow(LIMIT);
        Disposable received = Flux.merge(connection.activeMessages().receive(ECHOED),
                connection.inbound().receiveByteArrays()).subscribe(ignored -> done.incrementAndGet());
        RemoteMemory remote = connection.memory(window.descriptor());
        MemorySegment small = sources.segment().asSlice(0, SMALL);
        MemorySegment read = sources.segment().asSlice(SMALL, SMALL);
        HttpClient http = HttpClient.create(provider).host("127.0.0.1").port(web.port()).runOn(loops);
        List<Flux<?>> kinds = List.of(each(4, time, number -> {
            Mono<byte[]> request = connection.requester().requestResponse(new byte[SMALL]);
            return number % CANCELLED == 0 ? request.takeUntilOther(Mono.delay(Duration.ofNanos(1))) : request;
        }), each(50, time, number -> connection.requester().requestStream(new byte[SMALL]).then()),
                each(50, time, number -> connection.requester().requestResponse(new byte[LARGE])),
                each(10, time, number -> connection.activeMessages().send(ECHO, new byte[SMALL])),
                each(20, time, number -> connection.tags().send(TAG, small)),
                each(20, time, number -> remote.put(0, small).then(remote.flush()).then(remote.get(0, read))
                        .then(remote.atomics().add(2 * SMALL, 1))),
                each(20, time, number -> http.get().responseContent().aggregate().asString()),
                each(500, time, number -> visitor.connect().flatMap(other -> other.requester()
                        .requestResponse(new byte[SMALL]).then(other.close()))),
                connection.outbound().sendByteArrays(ticks(5, time).map(i -> new byte[i % 50 == 0 ? LARGE : SMALL]))
                        .flux());
        Flux.merge(Flux.fromIterable(kinds), kinds.size()).blockLast(time.plus(LIMIT));
        remote.close();
        connection.close().block(LIMIT);
        received.dispose();
    }

    private static Flux<Long> ticks(int millis, Duration time) {
        return Flux.interval(Duration.ofMillis(millis)).take(time).onBackpressureDrop();
    }

    private Flux<?> each(int millis, Duration time, LongFunction<Mono<?>> operation) {
        return ticks(millis, time).flatMap(number -> operation.apply(number)
                .doOnSuccess(ignored -> done.incrementAndGet()), MAX_IN_FLIGHT);
    }

    /** Cuts a connection off, as a peer that crashes does. */
    void cutOff() {
        UcxConnection connection = visitor.connectNow(LIMIT);
        connection.requester().requestResponse(new byte[8]).block(LIMIT);
        connection.close(CloseMode.FORCE).block(LIMIT);
    }

    /** Exhausts a pool until the result is disposed. */
    Disposable exhaustPool() {
        UcxConnectionPool pool = UcxConnectionPool.builder(visitor).maxConnections(1).build();
        pool.acquire().block(LIMIT);
        Disposable waiting = pool.acquire().subscribe(ignored -> { }, error -> { });
        return () -> {
            waiting.dispose();
            pool.disposeNow(LIMIT);
        };
    }

    @Override
    public void close() {
        scraped.stop(0);
        web.disposeNow(LIMIT);
        provider.disposeLater().block(LIMIT);
        loops.disposeLater(Duration.ZERO, LIMIT).block(LIMIT);
        server.disposeNow();
        responder.disposeNow();
        sources.close();
        clients.disposeNow();
        window.revoke().block(LIMIT);
        memory.close();
        servers.disposeNow();
        registry.close();
    }
}
