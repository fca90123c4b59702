package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.reactorucx.netty.resources.UcxLoopResources;
import io.reactorucx.testsupport.TestTime;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.netty.Connection;
import reactor.netty.DisposableServer;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.client.HttpClientResponse;
import reactor.netty.http.server.HttpServer;
import reactor.netty.resources.ConnectionProvider;
import reactor.netty.tcp.TcpClient;
import reactor.netty.tcp.TcpServer;

/** Servers and clients of Reactor Netty over UCX. */
@Tag("slow")
@ExtendWith(BufferLeaks.class)
@ParameterizedClass
@ValueSource(ints = {1, 2})
class ReactorNettyTest {

    private static final Duration LIMIT = TestTime.seconds(20);
    private static final String HOST = "127.0.0.1";
    private static final int UPLOAD_BYTES = 1 << 20;
    private static final int PART_BYTES = 1024;
    private static final int MAX_AHEAD_BYTES = 8 << 20;
    private static final int MESSAGES = 1000;
    private static final int REQUESTS = 200;
    private static final int POOL = 50;

    @Parameter
    private int count;

    private UcxLoopResources serverLoops;
    private UcxLoopResources clientLoops;
    private ConnectionProvider pool;
    private DisposableServer server;

    @BeforeEach
    void start() {
        serverLoops = UcxLoopResources.create("server", count, UcxNettyConfig.DEFAULT);
        clientLoops = UcxLoopResources.create("client", count, UcxNettyConfig.DEFAULT);
        pool = ConnectionProvider.builder("pool").maxConnections(POOL).pendingAcquireMaxCount(REQUESTS).build();
    }

    @AfterEach
    void end() {
        if (server != null) {
            server.disposeNow(LIMIT);
        }
        pool.disposeLater().block(LIMIT);
        TestLoops.awaitNoChannels(clientLoops.factory());
        TestLoops.awaitNoChannels(serverLoops.factory());
        clientLoops.disposeLater(Duration.ZERO, LIMIT).block(LIMIT);
        serverLoops.disposeLater(Duration.ZERO, LIMIT).block(LIMIT);
    }

    private HttpServer server() {
        return HttpServer.create().host(HOST).port(0).runOn(serverLoops);
    }

    private HttpClient client() {
        return HttpClient.create(pool).remoteAddress(() -> (InetSocketAddress) server.address()).runOn(clientLoops);
    }

    private static byte[] random(int bytes) {
        byte[] data = new byte[bytes];
        new Random(bytes).nextBytes(data);
        return data;
    }

    @Test
    void getsOverUcx() {
        server = server().handle((request, response) -> response.sendString(Mono.just("hello"))).bindNow();
        assertThat(client().get().uri("/").responseContent().aggregate().asString().block(LIMIT)).isEqualTo("hello");
        long received = TestLoops.sum(clientLoops.factory(), UcxLoopStatistics::receivedBytes);
        assertThat(received).isPositive();
        // The server counts after its bytes have gone.
        await().atMost(LIMIT).until(() ->
                TestLoops.sum(serverLoops.factory(), UcxLoopStatistics::sentBytes) == received);
    }

    @Test
    void postsEachByteThereAndBack() {
        server = server().handle((request, response) -> response.send(request.receive().retain())).bindNow();
        byte[] upload = random(UPLOAD_BYTES);
        byte[] back = client().post().uri("/").send(Mono.fromSupplier(() -> Unpooled.wrappedBuffer(upload)))
                .responseContent().aggregate().asByteArray().block(LIMIT);
        assertThat(back).isEqualTo(upload);
        assertThat(TestLoops.sum(serverLoops.factory(), UcxLoopStatistics::receivedBytes))
                .isGreaterThan(UPLOAD_BYTES);
    }

    /** An endless stream of the server, with what it has made and whether it was cancelled. */
    private static final class Endless {

        private final AtomicLong made = new AtomicLong();
        private final AtomicBoolean cancelled = new AtomicBoolean();
        private final String part = "data: " + "x".repeat(PART_BYTES - 8) + "\n\n";

        Flux<String> parts() {
            return Flux.<String>generate(sink -> {
                made.incrementAndGet();
                sink.next(part);
            }).doOnCancel(() -> cancelled.set(true));
        }
    }

    /** Reads only when it is asked to. */
    private static final class SlowReader extends BaseSubscriber<String> {

        private final AtomicLong received = new AtomicLong();

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            request(1);
        }

        @Override
        protected void hookOnNext(String part) {
            received.addAndGet(part.length());
        }
    }

    @Test
    void serverIsNoFurtherAheadOfItsReaderThanTheBuffersAreLarge() {
        Endless endless = new Endless();
        server = server().route(routes -> routes
                .get("/stream", (request, response) -> response.sse().sendString(endless.parts()))
                .get("/other", (request, response) -> response.sendString(Mono.just("other")))).bindNow();
        SlowReader reader = new SlowReader();
        client().get().uri("/stream").responseContent().asString().subscribe(reader);
        await().atMost(LIMIT).until(() -> reader.received.get() > 0);
        for (int i = 0; i < REQUESTS; i++) {
            assertThat(client().get().uri("/other").responseContent().aggregate().asString().block(LIMIT))
                    .isEqualTo("other");
        }
        assertThat(endless.made.get() * PART_BYTES).isLessThan(MAX_AHEAD_BYTES);
        long before = reader.received.get();
        reader.requestUnbounded();
        await().atMost(LIMIT).until(() -> reader.received.get() > before + 2L * MAX_AHEAD_BYTES);
        reader.cancel();
        await().atMost(LIMIT).untilTrue(endless.cancelled);
    }

    @Test
    void aResponseThatIsCancelledEndsItsServer() {
        Endless endless = new Endless();
        server = server().handle((request, response) -> response.sse().sendString(endless.parts())).bindNow();
        List<String> parts = client().get().uri("/").responseContent().asString().take(3).collectList().block(LIMIT);
        assertThat(parts).hasSize(3);
        await().atMost(LIMIT).untilTrue(endless.cancelled);
    }

    @Test
    void webSocketEchoesInOrder() {
        server = server().route(routes -> routes.ws("/echo", (in, out) -> out.sendString(in.receive().asString())))
                .bindNow();
        List<String> sent = IntStream.range(0, MESSAGES).mapToObj(i -> "message " + i).toList();
        List<String> back = client().websocket().uri("/echo").handle((in, out) ->
                out.sendString(Flux.fromIterable(sent)).then()
                        .thenMany(in.receive().asString().take(MESSAGES))).collectList().block(LIMIT);
        assertThat(back).isEqualTo(sent);
    }

    @Test
    void http2CarriesManyRequestsOverOneChannel() {
        server = server().protocol(HttpProtocol.H2C)
                .handle((request, response) -> response.send(request.receive().retain())).bindNow();
        byte[] upload = random(PART_BYTES);
        HttpClient client = client().protocol(HttpProtocol.H2C);
        List<byte[]> all = Flux.range(0, REQUESTS).flatMap(i -> client.post().uri("/")
                .send(Mono.fromSupplier(() -> Unpooled.wrappedBuffer(upload)))
                .responseContent().aggregate().asByteArray(), POOL).collectList().block(LIMIT);
        assertThat(all).hasSize(REQUESTS).allSatisfy(each -> assertThat(each).isEqualTo(upload));
    }

    @Test
    void requestsShareThePool() {
        server = server().handle((request, response) -> response.sendString(Mono.just(request.uri()))).bindNow();
        List<String> all = Flux.range(0, REQUESTS).flatMap(i -> client().get().uri("/" + i).responseContent()
                .aggregate().asString(), REQUESTS).collectList().block(LIMIT);
        assertThat(all).containsExactlyInAnyOrderElementsOf(
                IntStream.range(0, REQUESTS).mapToObj(i -> "/" + i).toList());
        assertThat(TestLoops.sum(serverLoops.factory(), UcxLoopStatistics::channels)).isBetween(1L, (long) POOL);
    }

    @Test
    void aServerThatShutsDownFinishesItsRequests() {
        Sinks.One<String> answer = Sinks.one();
        CompletableFuture<Void> asked = new CompletableFuture<>();
        server = server().channelGroup(new DefaultChannelGroup(GlobalEventExecutor.INSTANCE))
                .handle((request, response) -> {
                    asked.complete(null);
                    return response.sendString(answer.asMono());
                }).bindNow();
        CompletableFuture<HttpClientResponse> head = new CompletableFuture<>();
        CompletableFuture<String> body = client().get().uri("/").responseSingle((response, content) -> {
            head.complete(response);
            return content.asString();
        }).toFuture();
        asked.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
        CompletableFuture<Void> down = CompletableFuture.runAsync(() -> server.disposeNow(LIMIT));
        await().atMost(LIMIT).until(() -> !server.channel().isOpen());
        assertThat(down).isNotDone();
        answer.tryEmitValue("done").orThrow();
        assertThat(body.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join()).isEqualTo("done");
        assertThat(head.join().status().code()).isEqualTo(200);
        down.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
    }

    @Test
    void tcpEchoesEachByte() {
        server = null;
        DisposableServer echo = TcpServer.create().host(HOST).port(0).runOn(serverLoops)
                .handle((in, out) -> out.send(in.receive().retain())).bindNow();
        byte[] data = random(UPLOAD_BYTES);
        ByteBuf back = Unpooled.buffer(UPLOAD_BYTES);
        Connection connection = TcpClient.create(pool).remoteAddress(echo::address).runOn(clientLoops)
                .connectNow(LIMIT);
        CompletableFuture<Void> all = new CompletableFuture<>();
        connection.inbound().receive().subscribe(part -> {
            back.writeBytes(part);
            if (back.readableBytes() >= UPLOAD_BYTES) {
                all.complete(null);
            }
        }, all::completeExceptionally);
        connection.outbound().sendByteArray(Mono.just(data)).then().block(LIMIT);
        all.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
        assertThat(back.array()).isEqualTo(data);
        connection.disposeNow(LIMIT);
        echo.disposeNow(LIMIT);
    }
}
