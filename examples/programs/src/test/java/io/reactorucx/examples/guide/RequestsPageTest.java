package io.reactorucx.examples.guide;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxRequester;
import io.reactorucx.UcxServer;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.message.UcxRequestException;
import io.reactorucx.message.UcxResponder;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** The code of {@code docs/guide/requests.md}. */
class RequestsPageTest extends Page {

    private static final Queue<String> EVENTS = new ConcurrentLinkedQueue<>();

    private UcxConnection connection;

    // snippet: responder
    static final class Quotes implements UcxResponder {

        private final UcxBufferPool buffers;

        Quotes(UcxBufferPool buffers) {
            this.buffers = buffers;
        }

        @Override
        public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
            String symbol = text(request);
            return Mono.fromCallable(() -> lease(symbol + " 42"));
        }

        @Override
        public Flux<UcxBuffer> requestStream(UcxBuffer request) {
            String symbol = text(request);
            return Flux.range(1, 1_000_000).map(price -> lease(symbol + " " + price));
        }

        @Override
        public Mono<Void> fireAndForget(UcxBuffer request) {
            String event = text(request);
            return Mono.fromRunnable(() -> record(event));
        }

        @Override
        public Flux<UcxBuffer> requestChannel(Flux<UcxBuffer> requests) {
            return requests.map(request -> lease(text(request) + " 42"));
        }

        private UcxBuffer lease(String text) {
            return buffers.copyOf(text.getBytes(UTF_8));
        }

        private static String text(UcxBuffer request) {
            String text = request.toString(UTF_8);
            request.release();
            return text;
        }
    }
    // end

    private static void record(String event) {
        EVENTS.add(event);
    }

    @BeforeEach
    void connect() {
        // snippet: server
        UcxBoundServer server = UcxServer.create(resources)
                .respond(new Quotes(resources.buffers()))
                .bindNow();
        // end
        connection = connect(server);
    }

    @Test
    void oneManyNoneAndBothWays() {
        // snippet: requester
        UcxRequester requester = connection.requester().withDeadline(Duration.ofSeconds(2));

        Mono<byte[]> one = requester.requestResponse("ACME".getBytes(UTF_8));
        Flux<byte[]> many = requester.requestStream("ACME".getBytes(UTF_8)).take(10);
        Mono<Void> none = requester.fireAndForget("seen ACME".getBytes(UTF_8));
        Flux<UcxBuffer> both = requester.requestChannel(Flux.just("ACME", "INIT")
                .map(symbol -> resources.buffers().copyOf(symbol.getBytes(UTF_8))));
        // end

        assertThat(one.block(TIMEOUT)).asString(UTF_8).isEqualTo("ACME 42");
        assertThat(many.map(bytes -> new String(bytes, UTF_8)).collectList().block(TIMEOUT))
                .hasSize(10).startsWith("ACME 1", "ACME 2");
        none.block(TIMEOUT);
        await().atMost(TIMEOUT).untilAsserted(() -> assertThat(EVENTS).contains("seen ACME"));
        assertThat(both.map(Quotes::text).collectList().block(TIMEOUT)).containsExactly("ACME 42", "INIT 42");
    }

    @Test
    void failuresSayWhy() {
        UcxBoundServer refusing = UcxServer.create(resources).respond(new UcxResponder() { }).bindNow();
        UcxRequester requester = connect(refusing).requester();

        // snippet: errors
        Mono<byte[]> answer = requester.requestResponse("ACME".getBytes(UTF_8))
                .retryWhen(Retry.backoff(3, Duration.ofMillis(50))
                        .filter(error -> error instanceof UcxRequestException refused && refused.isRetryable()))
                .onErrorResume(UcxRequestException.class, error -> switch (error.reason()) {
                    case DEADLINE -> Mono.just("too late".getBytes(UTF_8));
                    case UNSUPPORTED -> Mono.just("not served here".getBytes(UTF_8));
                    default -> Mono.error(error);
                });
        // end

        assertThat(answer.block(TIMEOUT)).asString(UTF_8).isEqualTo("not served here");
        assertThatThrownBy(() -> requester.requestResponse(new byte[0]).block(TIMEOUT))
                .isInstanceOfSatisfying(UcxRequestException.class,
                        error -> assertThat(error.reason()).isEqualTo(UcxRequestException.Reason.UNSUPPORTED));
    }

    @Test
    void serverAsksItsClient() {
        Queue<String> heard = new ConcurrentLinkedQueue<>();

        // snippet: both-sides
        UcxBoundServer asking = UcxServer.create(resources)
                .handle(client -> client.requester().requestResponse("who are you".getBytes(UTF_8))
                        .doOnNext(answer -> heard.add(new String(answer, UTF_8)))
                        .then(client.onClosing()))
                .bindNow();

        UcxResponder introduction = new UcxResponder() {
            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                request.release();
                return Mono.fromCallable(() -> resources.buffers().copyOf("client 7".getBytes(UTF_8)));
            }
        };
        UcxConnection client = UcxClient.create(resources)
                .remoteAddress("127.0.0.1", asking.port())
                .doOnConnected(made -> made.respond(introduction).subscribe())
                .connectNow();
        // end

        await().atMost(TIMEOUT).untilAsserted(() -> assertThat(heard).containsExactly("client 7"));
        client.disposeNow();
    }
}
