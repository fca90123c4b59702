package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.unix.DomainSocketAddress;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.reactorucx.netty.resources.UcxLoopResources;
import io.reactorucx.testsupport.TestTime;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.ByteBufFlux;
import reactor.netty.DisposableServer;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;
import reactor.netty.resources.ConnectionProvider;

/** HTTP of Reactor Netty over channels with Unix domain sockets. */
@Tag("slow")
class DomainSocketHttpTest {

    private static final Duration LIMIT = TestTime.seconds(20);
    private static final int REQUESTS = 200;
    private static final int BODY_CHARS = 1 << 20;

    @ParameterizedTest
    @ValueSource(strings = {"", "shm"})
    void serversAndClientsOfHttpUseUcx(String transport, @TempDir Path folder) {
        UcxNettyConfig config = transport.isEmpty() ? UcxNettyConfig.DEFAULT
                : UcxNettyConfig.DEFAULT.withTransports(transport);
        UcxLoopResources serverLoops = UcxLoopResources.create("server", 2, config);
        UcxLoopResources clientLoops = UcxLoopResources.create("client", 2, config);
        ConnectionProvider pool = ConnectionProvider.create("pool", 8);
        DomainSocketAddress address = new DomainSocketAddress(folder.resolve("http").toString());
        DisposableServer server = HttpServer.create().bindAddress(() -> address).runOn(serverLoops)
                .route(routes -> routes
                        .get("/", (request, response) -> response.sendString(Mono.just("hello")))
                        .post("/echo", (request, response) -> response.send(request.receive().retain())))
                .bindNow(LIMIT);
        HttpClient client = HttpClient.create(pool).remoteAddress(() -> address).runOn(clientLoops)
                .headers(headers -> headers.set(HttpHeaderNames.HOST, "localhost"));

        assertThat(Flux.range(0, REQUESTS).flatMap(i -> client.get().uri("/").responseContent().aggregate().asString(),
                8).collectList().block(LIMIT)).hasSize(REQUESTS).containsOnly("hello");
        String body = "x".repeat(BODY_CHARS);
        assertThat(client.post().uri("/echo").send(ByteBufFlux.fromString(Mono.just(body))).responseContent()
                .aggregate().asString().block(LIMIT)).isEqualTo(body);
        assertThat(TestLoops.sum(clientLoops.factory(), UcxLoopStatistics::receivedBytes)).isGreaterThan(BODY_CHARS);

        server.disposeNow(LIMIT);
        pool.disposeLater().block(LIMIT);
        TestLoops.awaitNoChannels(clientLoops.factory());
        TestLoops.awaitNoChannels(serverLoops.factory());
        clientLoops.disposeLater(Duration.ZERO, LIMIT).block(LIMIT);
        serverLoops.disposeLater(Duration.ZERO, LIMIT).block(LIMIT);
        assertThat(Path.of(address.path())).doesNotExist();
    }
}
