package io.reactorucx.examples.soak.netty;

import io.netty.buffer.ByteBuf;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.reactorucx.examples.soak.Tallies;
import io.reactorucx.examples.soak.Tally;
import io.reactorucx.examples.soak.Tally.End;
import io.reactorucx.examples.soak.netty.Content.WrongContentException;
import java.io.IOException;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.client.HttpClientResponse;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;
import reactor.netty.http.server.HttpServerRoutes;
import reactor.netty.resources.ConnectionProvider;

/** GETs, POSTs and echoes by Reactor Netty, of random sizes, some of which the client cancels. */
final class HttpTraffic implements NettyTraffic {

    private static final String GET = "get";
    private static final String POST = "post";
    private static final String ECHO = "echo";
    private static final String[] KINDS = {GET, POST, ECHO};

    /** The server's answer to a POST with the expected bytes. */
    private static final String RIGHT = "right";
    private static final int OK = 200;
    private static final Duration LOST_AFTER = Duration.ofSeconds(60);
    private static final int MAX_BYTES = 1 << 20;
    /** Less than the time within which all channels have to be gone at the end. */
    private static final int FORGOTTEN_SECONDS = 20;
    private static final double CANCELLED = 0.04;
    private static final double TIMED_OUT = 0.02;
    private static final int HASTE_MICROS = 3000;

    private final SoakLoops loops;
    private final int port;
    private final int lanes;

    HttpTraffic(SoakLoops loops, int port, int lanes) {
        this.loops = loops;
        this.port = port;
        this.lanes = lanes;
    }

    /** The server's side. */
    static void serve(HttpServerRoutes routes) {
        routes.get("/" + GET + "/{number}/{bytes}", (request, response) -> response.send(Content.of(number(request),
                bytes(request), new SplittableRandom(number(request)))));
        routes.post("/" + POST + "/{number}/{bytes}", HttpTraffic::taken);
        routes.post("/" + ECHO + "/{number}/{bytes}", (request, response) -> response.send(
                request.receive().retain().onErrorResume(IOException.class, gone -> Flux.empty())));
    }

    private static Mono<Void> taken(HttpServerRequest request, HttpServerResponse response) {
        Content content = new Content(number(request));
        return request.receive().doOnNext(content::next).then(Mono.fromRunnable(() -> content.end(bytes(request))))
                .thenReturn(RIGHT).onErrorResume(WrongContentException.class,
                        wrong -> Mono.just(String.valueOf(wrong.getMessage())))
                .flatMap(answer -> response.sendString(Mono.just(answer)).then());
    }

    private static long number(HttpServerRequest request) {
        return Long.parseLong(String.valueOf(request.param("number")));
    }

    private static int bytes(HttpServerRequest request) {
        return Integer.parseInt(String.valueOf(request.param("bytes")));
    }

    @Override
    public void run(Duration time, SplittableRandom random, Tallies tallies) {
        ConnectionProvider provider = ConnectionProvider.create("soak", lanes);
        HttpClient pooled = HttpClient.create(provider).host(NettySoak.HOST).port(port).runOn(loops.resources());
        // Over any transport, a cancel may close a connection that the pool has given to the next request. Nor does it
        // always close its own connection, whose response is then never read.
        LoopClient[] alone = LoopClient.forEach(HttpClient.newConnection().host(NettySoak.HOST).port(port)
                .doOnConnected(connection -> connection.addHandlerLast(new ReadTimeoutHandler(FORGOTTEN_SECONDS))),
                loops.resources());
        long end = System.nanoTime() + time.toNanos();
        try {
            Flux.range(0, lanes).flatMap(lane -> {
                SplittableRandom choices = random.split();
                return Mono.defer(() -> one(pooled, alone, choices, tallies)).repeat(() -> System.nanoTime() < end);
            }, lanes).blockLast(time.plus(LOST_AFTER.multipliedBy(2)));
        } finally {
            provider.disposeLater().block(LOST_AFTER);
        }
    }

    private static Mono<Void> one(HttpClient pooled, LoopClient[] alone, SplittableRandom random, Tallies tallies) {
        String kind = KINDS[random.nextInt(KINDS.length)];
        int bytes = size(random);
        Tally tally = tallies.of(kind);
        tally.begun();
        double dice = random.nextDouble();
        LoopClient ended = dice < CANCELLED + TIMED_OUT ? alone[random.nextInt(alone.length)] : null;
        Mono<End> exchange = exchange(ended == null ? pooled : ended.http(), kind, random.nextLong(), bytes,
                random.split()).thenReturn(End.DELIVERED);
        if (ended != null) {
            exchange = exchange.cancelOn(ended.loop());
        }
        Duration haste = Duration.ofNanos(1000L * (1 + random.nextInt(HASTE_MICROS)));
        Mono<End> outcome;
        if (dice < CANCELLED) {
            outcome = exchange.takeUntilOther(Mono.delay(haste)).defaultIfEmpty(End.CANCELLED);
        } else if (dice < CANCELLED + TIMED_OUT) {
            outcome = exchange.timeout(haste).onErrorReturn(TimeoutException.class, End.TIMED_OUT);
        } else {
            outcome = exchange.timeout(LOST_AFTER).onErrorReturn(TimeoutException.class, End.LOST);
        }
        return outcome.onErrorReturn(WrongContentException.class, End.CORRUPT).doOnNext(result -> {
            if (result == End.DELIVERED) {
                tally.delivered(bytes);
            } else {
                tally.ended(result);
            }
        }).onErrorResume(error -> {
            tally.failed(error);
            // Failures would outnumber everything else.
            return Mono.delay(Duration.ofMillis(1)).thenReturn(End.FAILED);
        }).then();
    }

    private static Mono<Void> exchange(HttpClient client, String kind, long number, int bytes,
            RandomGenerator sizes) {
        String path = "/" + kind + "/" + number + "/" + bytes;
        return switch (kind) {
            case GET -> client.get().uri(path).response((response, body) -> checked(response, body, number, bytes))
                    .then();
            case POST -> client.post().uri(path).send(Content.of(number, bytes, sizes))
                    .responseSingle((response, body) -> body.asString()).defaultIfEmpty("no answer")
                    .doOnNext(HttpTraffic::checkAnswer).then();
            default -> client.post().uri(path).send(Content.of(number, bytes, sizes)).response((response, body) ->
                    checked(response, body, number, bytes)).then();
        };
    }

    private static void checkAnswer(String answer) {
        if (!RIGHT.equals(answer)) {
            throw new WrongContentException(answer);
        }
    }

    private static Flux<Void> checked(HttpClientResponse response, Flux<? extends ByteBuf> body,
            long number, int bytes) {
        if (response.status().code() != OK) {
            return Flux.error(new WrongContentException("status " + response.status()));
        }
        Content content = new Content(number);
        return body.doOnNext(content::next).thenMany(Flux.defer(() -> {
            content.end(bytes);
            return Flux.empty();
        }));
    }

    /** Mostly small, otherwise evenly distributed over the powers of two. */
    private static int size(RandomGenerator random) {
        int power = random.nextInt(Integer.SIZE - Integer.numberOfLeadingZeros(MAX_BYTES) + 1);
        return power == 0 ? 0 : (int) Math.min(MAX_BYTES, (1L << power - 1) + random.nextLong(1L << power - 1));
    }
}
