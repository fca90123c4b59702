package io.reactorucx.examples.store.load;

import io.reactorucx.examples.store.client.StoreClient;
import io.reactorucx.examples.store.client.StoreUnavailableException;
import io.reactorucx.examples.store.client.StoreValue;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatus;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientRequestException;
import org.springframework.web.reactive.function.client.WebClientResponseException;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Reads and writes keys, a request after the other by each of its readers and writers, and judges each answer. One of
 * either uses HTTP, the others RSocket.
 */
final class LoadMaker implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(LoadMaker.class);

    private static final int READERS = 4;
    private static final int WRITERS = 4;
    private static final int KEYS_OF_A_WRITER = 128;
    /** The limit of a request over HTTP: the deadline of the node, and the time on the way to it and back. */
    private static final Duration HTTP_LIMIT = LoadContext.DEADLINE.plusMillis(500);
    /** After a failure. Requests that fail at once, as when the client is closed, would else keep its thread. */
    private static final Duration PAUSE = Duration.ofMillis(10);
    /** A deadline is kept by a timer of a process that has to get the processor. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    private final StoreClient store;
    private final WebClient http;
    private final LoadCounts counts = new LoadCounts();
    private final KeyModel model = new KeyModel("key", WRITERS * KEYS_OF_A_WRITER);
    private volatile boolean running = true;
    private final Disposable workers;
    private final Mono<Void> end;

    LoadMaker(LoadContext context) {
        store = context.store();
        http = context.http();
        end = Flux.merge(Flux.range(0, READERS).flatMap(reader -> repeat(() -> read(reader == 0)), READERS),
                Flux.range(0, WRITERS).flatMap(writer -> repeat(() -> write(writer, writer == 0)), WRITERS))
                .then().cache();
        workers = end.subscribe(null, error -> LOG.error("the load has ended", error));
        context.beforeClose(this::close);
    }

    LoadCounts counts() {
        return counts;
    }

    private Flux<Void> repeat(Supplier<Mono<Void>> step) {
        return Mono.defer(step).repeat(() -> running);
    }

    private Mono<Void> read(boolean overHttp) {
        int index = ThreadLocalRandom.current().nextInt(model.keys());
        long before = model.acknowledged(index);
        return timed(overHttp, (overHttp ? httpGet(index) : storeGet(index)).doOnNext(read ->
                judge(index, before, read.orElse(null)))).flatMap(succeeded -> pause(succeeded, PAUSE));
    }

    /** Each key has one writer, which begins a write when the one before has ended. */
    private Mono<Void> write(int writer, boolean overHttp) {
        int index = writer + WRITERS * ThreadLocalRandom.current().nextInt(KEYS_OF_A_WRITER);
        long write = model.begin(index);
        byte[] value = model.value(index, write);
        Mono<?> done = overHttp ? httpWrite(index, value) : storeWrite(index, value);
        return timed(overHttp, done.doOnNext(ignored -> model.acknowledge(index, write))).flatMap(succeeded ->
                // A node may still be at work on it: the next write of the key must not begin before it has given up.
                pause(succeeded, overHttp ? HTTP_LIMIT : PAUSE));
    }

    private static Mono<Void> pause(boolean succeeded, Duration afterFailure) {
        return succeeded ? Mono.empty() : Mono.delay(afterFailure).then();
    }

    private void judge(int index, long before, byte @Nullable [] read) {
        KeyModel.Verdict verdict = model.judge(index, before, read);
        counts.judged(verdict);
        if (verdict != KeyModel.Verdict.RIGHT) {
            LOG.error("{} {}", verdict, model.describe(index, before, read));
        }
    }

    private Mono<Optional<byte[]>> storeGet(int index) {
        return store.get(model.key(index)).map(found -> found.map(StoreValue::bytes));
    }

    private Mono<?> storeWrite(int index, byte @Nullable [] value) {
        return value == null ? store.delete(model.key(index)) : store.put(model.key(index), value);
    }

    private Mono<Optional<byte[]>> httpGet(int index) {
        return http.get().uri("/keys/{key}", model.key(index)).exchangeToMono(response -> switch (
                response.statusCode().value()) {
            case 200 -> response.bodyToMono(byte[].class).map(Optional::of);
            case 404 -> response.releaseBody().thenReturn(Optional.<byte[]>empty());
            default -> response.createError();
        });
    }

    private Mono<?> httpWrite(int index, byte @Nullable [] value) {
        return (value == null ? http.delete().uri("/keys/{key}", model.key(index))
                : http.put().uri("/keys/{key}", model.key(index)).bodyValue(value)).retrieve().toBodilessEntity();
    }

    /** Returns whether the request succeeded. */
    private Mono<Boolean> timed(boolean overHttp, Mono<?> request) {
        return Mono.defer(() -> {
            long begun = System.nanoTime();
            counts.begun();
            AtomicBoolean open = new AtomicBoolean(true);
            Runnable ended = () -> {
                if (open.compareAndSet(true, false)) {
                    counts.ended(System.nanoTime() - begun,
                            (overHttp ? HTTP_LIMIT : LoadContext.DEADLINE).plus(GRACE).toNanos());
                }
            };
            Mono<?> bounded = overHttp ? request.timeout(HTTP_LIMIT) : request;
            return bounded.doOnSuccess(ignored -> counts.answered()).thenReturn(true)
                    .onErrorResume(error -> {
                        count(error);
                        return Mono.just(false);
                    })
                    // Before the end is signalled, at which stop() reads the counts.
                    .doOnTerminate(ended).doOnCancel(ended);
        });
    }

    private void count(Throwable error) {
        if (isRetryable(error)) {
            counts.retryable();
        } else {
            counts.failed();
            LOG.error("a request failed", error);
        }
    }

    static boolean isRetryable(Throwable error) {
        return error instanceof StoreUnavailableException || error instanceof TimeoutException
                || error instanceof WebClientRequestException
                // The node has ended between the head of its answer and the end.
                || error instanceof IOException
                || error instanceof WebClientResponseException response
                        && response.getStatusCode() == HttpStatus.SERVICE_UNAVAILABLE;
    }

    /** Lets the requests under way end. Returns whether they did within their deadlines. */
    boolean stop() {
        running = false;
        try {
            end.block(HTTP_LIMIT.multipliedBy(2).plus(GRACE));
            return counts.sums().underWay() == 0;
        } catch (IllegalStateException e) {
            LOG.error("{} requests have not ended {} s after the last was begun", counts.sums().underWay(),
                    TimeUnit.NANOSECONDS.toSeconds(HTTP_LIMIT.multipliedBy(2).plus(GRACE).toNanos()), e);
            return false;
        }
    }

    @Override
    public void close() {
        running = false;
        workers.dispose();
    }
}
