package io.reactorucx.examples.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.is;

import io.reactorucx.examples.boot.FileController.Uploaded;
import io.reactorucx.netty.resources.UcxLoopResources;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.client.MultipartBodyBuilder;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.web.reactive.function.BodyInserters;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.socket.WebSocketMessage;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The same cases over the kernel's TCP and over UCX, each over HTTP/1.1 and HTTP/2, with and without TLS. */
@Tag("slow")
@ParameterizedClass(name = "{0} {1}")
@MethodSource("runs")
class BootExampleTest {

    private static final int BODY_BYTES = 32 << 20;
    private static final int FILE_BYTES = 8 << 20;
    private static final int EVENTS = 5000;
    private static final int MESSAGES = 1000;
    private static final int REQUESTS = 200;
    private static final int AT_ONCE = 20;
    private static final Duration LIMIT = Application.LIMIT;

    @TempDir
    private static Path folder;
    private static Path keys;
    private static Content body;
    private static Content file;
    private static Application application;

    @Parameter(0)
    private Transport transport;
    @Parameter(1)
    private Protocol protocol;

    private WebClient client;
    private long sentBefore;
    private long receivedBefore;
    private long leastBytes = 1;

    static Stream<Arguments> runs() {
        return Arrays.stream(Transport.values()).flatMap(transport -> Arrays.stream(Protocol.values())
                .map(protocol -> Arguments.of(transport, protocol)));
    }

    @BeforeAll
    static void prepare() throws IOException, InterruptedException {
        keys = Certificate.create(folder);
        body = new Content(BODY_BYTES);
        file = new Content(FILE_BYTES);
    }

    @BeforeParameterizedClassInvocation
    static void start(Transport transport, Protocol protocol) {
        application = Application.start(transport, protocol, keys);
    }

    @AfterParameterizedClassInvocation
    static void close() {
        application.close();
    }

    @AfterAll
    static void forget() {
        body = null;
        file = null;
    }

    @BeforeEach
    void connect() {
        client = application.webClient();
        sentBefore = application.sentOverUcx();
        receivedBefore = application.receivedOverUcx();
    }

    /** Server and client are in one process: what the one sends, the other receives. */
    @AfterEach
    void bytesWentOverTheTransport() {
        application.assertTransport(Math.max(sentBefore, receivedBefore) + leastBytes, true);
    }

    @Test
    void getsJson() {
        assertThat(client.get().uri("/greetings/{name}", "Anna").retrieve().bodyToMono(Greeting.class).block(LIMIT))
                .isEqualTo(new Greeting("Anna", "Hello Anna"));
    }

    @Test
    void postsJson() {
        assertThat(client.post().uri("/greetings").bodyValue(Map.of("name", "Anna")).retrieve()
                .bodyToMono(Greeting.class).block(LIMIT)).isEqualTo(new Greeting("Anna", "Hello Anna"));
    }

    private HttpStatus statusOf(WebClient.RequestHeadersSpec<?> request) {
        return Objects.requireNonNull(request.exchangeToMono(response -> response.releaseBody()
                .thenReturn(HttpStatus.valueOf(response.statusCode().value()))).block(LIMIT));
    }

    @Test
    void answersErrorsWithTheirStatus() {
        assertThat(statusOf(client.get().uri("/nothing"))).isEqualTo(HttpStatus.NOT_FOUND);
        assertThat(statusOf(client.post().uri("/greetings").contentType(MediaType.APPLICATION_JSON).bodyValue("{")))
                .isEqualTo(HttpStatus.BAD_REQUEST);
        assertThat(statusOf(client.post().uri("/greetings").bodyValue(Map.of("name", " "))))
                .isEqualTo(HttpStatus.BAD_REQUEST);
        assertThat(statusOf(client.delete().uri("/greetings"))).isEqualTo(HttpStatus.METHOD_NOT_ALLOWED);
    }

    @Test
    void streamsEventsInOrder() {
        List<Integer> numbers = client.get().uri("/numbers/" + EVENTS).accept(MediaType.TEXT_EVENT_STREAM).retrieve()
                .bodyToFlux(new ParameterizedTypeReference<ServerSentEvent<Integer>>() { })
                .mapNotNull(ServerSentEvent::data).collectList().block(LIMIT);
        assertThat(numbers).isEqualTo(IntStream.range(0, EVENTS).boxed().toList());
    }

    @Test
    void aClientThatCancelsEndsTheStreamOfTheServer() {
        AtomicInteger streams = application.seen().streams();
        List<Long> ticks = client.get().uri("/ticks").accept(MediaType.TEXT_EVENT_STREAM).retrieve()
                .bodyToFlux(Long.class).doOnNext(ignored -> assertThat(streams).hasValue(1))
                .take(3).collectList().block(LIMIT);

        assertThat(ticks).hasSize(3).isSorted().doesNotHaveDuplicates();
        await().atMost(LIMIT).untilAtomic(streams, is(0));
        getsJson();
    }

    @Test
    void webSocketEchoesInOrder() {
        List<String> sent = IntStream.range(0, MESSAGES).mapToObj(i -> "message " + i).toList();
        List<String> back = new CopyOnWriteArrayList<>();
        application.webSocketClient().execute(URI.create(application.webSocketUrl()), session -> session
                .send(Flux.fromIterable(sent).map(session::textMessage)).and(session.receive()
                        .map(WebSocketMessage::getPayloadAsText).take(MESSAGES).doOnNext(back::add).then())
                .then(session.close())).block(LIMIT);
        assertThat(back).isEqualTo(sent);
    }

    @Test
    void uploadsFiles() {
        MultipartBodyBuilder parts = new MultipartBodyBuilder();
        for (String name : List.of("first", "second")) {
            parts.part("file", new ByteArrayResource(file.bytes())).filename(name);
        }
        parts.part("comment", "not a file");
        leastBytes = 2L * FILE_BYTES;
        List<Uploaded> uploaded = client.post().uri("/files").body(BodyInserters.fromMultipartData(parts.build()))
                .retrieve().bodyToFlux(Uploaded.class).collectList().block(LIMIT);
        assertThat(uploaded).containsExactly(new Uploaded("first", FILE_BYTES, file.sha256()),
                new Uploaded("second", FILE_BYTES, file.sha256()));
    }

    @Test
    void echoesEachByteOfALargeBody() {
        leastBytes = 2L * BODY_BYTES;
        assertThat(client.post().uri("/echo").contentType(MediaType.APPLICATION_OCTET_STREAM)
                .body(BodyInserters.fromDataBuffers(body.parts()))
                .exchangeToMono(response -> body.check(response.bodyToFlux(DataBuffer.class))).block(LIMIT))
                .isEqualTo(BODY_BYTES);
    }

    @Test
    void requestsReuseConnections() {
        getsJson();
        int before = application.seen().server().size();
        for (int i = 0; i < REQUESTS; i++) {
            getsJson();
        }
        // A response may come a moment before its connection is back in the pool; then the next request opens another.
        assertThat(application.seen().server()).hasSizeLessThan(before + AT_ONCE);
    }

    @Test
    void requestsRunAtTheSameTime() {
        List<String> names = Flux.range(0, REQUESTS).flatMap(i -> client.get().uri("/greetings/" + i).retrieve()
                .bodyToMono(Greeting.class).map(Greeting::name), AT_ONCE).collectList().block(LIMIT);
        assertThat(names).containsExactlyInAnyOrderElementsOf(
                IntStream.range(0, REQUESTS).mapToObj(Integer::toString).toList());
    }

    @Test
    void runIsAsNamed() {
        assertThat(application.loops() instanceof UcxLoopResources)
                .isEqualTo(transport == Transport.UCX);
        String scheme = client.get().uri("/greetings/x").exchangeToMono(response -> Mono.just(
                response.request().getURI().getScheme()).delayUntil(ignored -> response.releaseBody())).block(LIMIT);
        assertThat(scheme).isEqualTo(protocol.tls() ? "https" : "http");
    }
}
