package io.reactorucx.examples.soak;

import io.reactorucx.UcxConnection;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.examples.soak.Tally.End;
import io.reactorucx.message.UcxResponder;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Exchanges requests: every other one expects its payload back, the others a stream of numbers in order. */
final class RequestTraffic implements Traffic {

    static final String NAME = "request";

    private static final int MAX_BYTES = 4 << 20;
    private static final int MAX_NUMBERS = 2000;

    /** The numbers that were requested from the sources of this process. */
    private static final AtomicLong ASKED = new AtomicLong();

    private final UcxConnection connection;
    private final Tally tally;

    RequestTraffic(UcxConnection connection, Tally tally) {
        this.connection = connection;
        this.tally = tally;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int maxBytes() {
        return MAX_BYTES;
    }

    @Override
    public Mono<Void> exchange(long number, int bytes) {
        return connection.resources().buffers().acquireLater(Math.max(bytes, Integer.BYTES))
                .flatMap(request -> isEcho(number) ? echo(request, number) : count(request, bytes % MAX_NUMBERS))
                .doOnDiscard(UcxBuffer.class, UcxBuffer::dispose);
    }

    /** Returns whether the exchange of a number expects its payload back. */
    static boolean isEcho(long number) {
        return number % 2 == 0;
    }

    /** Returns how many answers an exchange gets. */
    static int answers(long number, int bytes) {
        return isEcho(number) ? 1 : bytes % MAX_NUMBERS;
    }

    private Mono<Void> echo(UcxBuffer request, long number) {
        Pattern.fill(request.segment(), number);
        return connection.requester().requestResponse(request).doOnNext(answer -> {
            check(Pattern.isIn(answer.segment(), number));
            answer.release();
        }).then();
    }

    private Mono<Void> count(UcxBuffer request, int numbers) {
        request.segment().set(ValueLayout.JAVA_INT_UNALIGNED, 0, numbers);
        return connection.requester().requestStream(request).reduce(0, (next, answer) -> {
            check(answer.segment().get(ValueLayout.JAVA_INT_UNALIGNED, 0) == next);
            answer.release();
            return next + 1;
        }).doOnNext(received -> check(received == numbers)).then();
    }

    private void check(boolean right) {
        if (!right) {
            tally.ended(End.CORRUPT);
        }
    }

    static long asked() {
        return ASKED.get();
    }

    /** Requests a stream of numbers. */
    static Flux<Integer> numbers(UcxConnection connection, int count) {
        byte[] request = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.nativeOrder()).putInt(count).array();
        return connection.requester().requestStream(request).map(answer -> ByteBuffer.wrap(answer)
                .order(ByteOrder.nativeOrder()).getInt());
    }

    /** The server's side of this traffic. */
    static Mono<Void> serve(UcxConnection connection) {
        return connection.respond(new UcxResponder() {
            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                return Mono.just(request);
            }

            @Override
            public Flux<UcxBuffer> requestStream(UcxBuffer request) {
                int numbers = request.segment().get(ValueLayout.JAVA_INT_UNALIGNED, 0);
                request.release();
                return Flux.range(0, numbers).doOnRequest(ASKED::addAndGet).map(number -> {
                    UcxBuffer answer = connection.resources().buffers().acquire(Integer.BYTES);
                    answer.segment().set(ValueLayout.JAVA_INT_UNALIGNED, 0, number);
                    return answer;
                });
            }
        });
    }
}
