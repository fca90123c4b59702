package io.reactorucx.examples.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.BodyInserters;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** A request to {@code /echo} whose body ends when the test wants it to. */
final class HeldRequest {

    /** What comes back of a request that has ended. */
    static final String BODY = "first, last";

    private final Sinks.One<DataBuffer> last = Sinks.one();
    private final CompletableFuture<Void> first = new CompletableFuture<>();
    private final CompletableFuture<String> response;

    HeldRequest(WebClient client) {
        Flux<DataBuffer> body = Mono.just(buffer("first")).concatWith(last.asMono());
        response = client.post().uri("/echo").contentType(MediaType.APPLICATION_OCTET_STREAM)
                .body(BodyInserters.fromPublisher(body.window(1).concatMap(each -> each), DataBuffer.class))
                .retrieve().bodyToFlux(DataBuffer.class).map(HeldRequest::text)
                .doOnNext(ignored -> first.complete(null)).doOnError(first::completeExceptionally)
                .reduce(String::concat).toFuture();
    }

    private static DataBuffer buffer(String text) {
        return DefaultDataBufferFactory.sharedInstance.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(DataBuffer part) {
        String text = part.toString(StandardCharsets.UTF_8);
        DataBufferUtils.release(part);
        return text;
    }

    /** Waits until the server has answered the first part. */
    void awaitFirstPart() {
        first.orTimeout(Application.LIMIT.toSeconds(), TimeUnit.SECONDS).join();
        assertThat(response).isNotDone();
    }

    void finish() {
        last.tryEmitValue(buffer(", last")).orThrow();
    }

    CompletableFuture<String> future() {
        return response;
    }

    String response() {
        return response.orTimeout(Application.LIMIT.toSeconds(), TimeUnit.SECONDS).join();
    }
}
