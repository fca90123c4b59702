package io.reactorucx.examples.soak.load;

import io.reactorucx.UcxConnection;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.message.UcxResponder;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * The requests of one process over all of its connections, and what it answers to those of the other. A request is one
 * message that its receiver has to fetch, and so is its answer.
 */
final class RequestLoops {

    private static final int BYTES = 17 << 10;
    /** The queue of commands may be full for a moment: the requests of all connections begin at once. */
    static final Retry PATIENTLY = Retry.backoff(Long.MAX_VALUE, Duration.ofMillis(1))
            .maxBackoff(Duration.ofMillis(50))
            .filter(error -> error instanceof UcxException ucx && ucx.isRetryable() && !ucx.isConnectionLost());

    private final int perConnection;
    private final LongAdder answered = new LongAdder();
    private final LongAdder served = new LongAdder();
    private final AtomicInteger lost = new AtomicInteger();
    private final Map<String, LongAdder> failures = new ConcurrentHashMap<>();

    /** Creates loops that have so many requests in flight over each connection. */
    RequestLoops(int perConnection) {
        this.perConnection = perConnection;
    }

    /** Answers the peer's requests with what is in them, and notes a loss of the connection. */
    Mono<Void> respond(UcxConnection connection) {
        connection.onDispose().subscribe(ignored -> { }, error -> {
            lost.incrementAndGet();
            failed(error);
        });
        return connection.respond(new UcxResponder() {
            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                served.increment();
                return Mono.just(request);
            }
        });
    }

    /** Sends requests until a time, and completes when all of them have been answered, or have failed. */
    Mono<Void> request(UcxConnection connection, long endNanos) {
        return Flux.range(0, perConnection).flatMap(loop -> Mono.defer(() -> request(connection, loop))
                .repeat(() -> System.nanoTime() - endNanos < 0), perConnection).onErrorResume(error -> {
                    failed(error);
                    return Mono.empty();
                }).then();
    }

    private Mono<Void> request(UcxConnection connection, int loop) {
        return Mono.defer(() -> connection.resources().buffers().acquireLater(BYTES).flatMap(request -> {
            request.segment().set(ValueLayout.JAVA_INT, 0, loop);
            request.segment().set(ValueLayout.JAVA_BYTE, BYTES - 1, (byte) loop);
            return connection.requester().requestResponse(request);
        })).retryWhen(PATIENTLY).doOnNext(answer -> {
            boolean right = answer.length() == BYTES && answer.segment().get(ValueLayout.JAVA_INT, 0) == loop
                    && answer.segment().get(ValueLayout.JAVA_BYTE, BYTES - 1) == (byte) loop;
            answer.release();
            if (!right) {
                throw new IllegalStateException("the answer to a request of loop " + loop + " is another one");
            }
            answered.increment();
        }).then();
    }

    private void failed(Throwable error) {
        failures.computeIfAbsent(String.valueOf(error.getMessage()).replaceAll("[0-9]+", "N"),
                ignored -> new LongAdder()).increment();
    }

    /** Returns what grows as long as anything ends: answers that came, and requests that were taken. */
    long progress() {
        return answered.sum() + served.sum();
    }

    /** Prints what became of the requests. Returns whether all is well. */
    boolean print(String process, ProgressWatch watch, long seconds, int maxStallSeconds, boolean unfinished) {
        long stall = watch.longestStandstillMillis();
        System.out.println(process + ": " + answered.sum() + " answers, " + answered.sum() / Math.max(1, seconds)
                + " a second, and " + served.sum() + " requests served; at least " + watch.slowestSecond()
                + " of both in a second, at most " + stall + " ms without one, pauses of the machine left out: it let"
                + " the engine wait for " + watch.engineWaitedMillis() + " ms in all, and another thread for "
                + watch.longestPauseMillis() + " ms at once; " + lost.get() + " connections lost");
        failures.forEach((text, count) -> System.out.println(process + ": " + count.sum() + " times: " + text));
        if (unfinished) {
            System.out.println(process + ": some requests were never answered");
        }
        if (stall > maxStallSeconds * 1000L) {
            System.out.println(process + ": stood still for more than " + maxStallSeconds + " s");
        }
        return failures.isEmpty() && !unfinished && answered.sum() > 0 && stall <= maxStallSeconds * 1000L;
    }
}
