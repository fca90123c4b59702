package io.reactorucx.examples.soak;

import io.reactorucx.UcxConnection;
import io.reactorucx.examples.soak.Tally.End;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Runs all kinds of traffic over one connection of the soak until its time has passed. */
final class ConnectionLife {

    /** Exchanges of one kind that are in flight at the same time. */
    private static final int LANES = 4;
    private static final double CANCELLED = 0.04;
    private static final double TIMED_OUT = 0.02;
    private static final int HASTE_MICROS = 3000;

    private final UcxConnection connection;
    private final Tallies tallies;
    private final RandomGenerator random;
    private final AtomicLong numbers = new AtomicLong();
    private final AtomicBoolean over = new AtomicBoolean();

    ConnectionLife(UcxConnection connection, Tallies tallies, RandomGenerator random) {
        this.connection = connection;
        this.tallies = tallies;
        this.random = random;
    }

    /** Completes when no exchange is in flight, after the time has passed or the connection has ended. */
    Mono<Void> live(List<Traffic> traffic, Duration time) {
        Mono<Void> clock = Mono.delay(time).then();
        return Mono.firstWithSignal(clock, connection.onDispose()).then(Mono.<Void>fromRunnable(() -> over.set(true)))
                .and(Flux.fromIterable(traffic).flatMap(kind -> lanes(kind), Integer.MAX_VALUE));
    }

    private Mono<Void> lanes(Traffic kind) {
        int lanes = kind instanceof MemoryTraffic ? 1 : LANES;
        return Flux.range(0, lanes).flatMap(lane -> Mono.defer(() -> one(kind))
                .repeat(() -> !over.get() && !connection.isDisposed()), lanes).then();
    }

    private Mono<Void> one(Traffic kind) {
        Tally tally = tallies.of(kind.name());
        int bytes = size(kind.maxBytes());
        long number = numbers.incrementAndGet();
        tally.begun();
        Mono<Boolean> exchange = kind.exchange(number, bytes).thenReturn(true);
        double dice = random.nextDouble();
        Mono<Boolean> outcome;
        if (dice < CANCELLED) {
            outcome = exchange.takeUntilOther(Mono.delay(haste())).switchIfEmpty(Mono.fromSupplier(() -> {
                tally.ended(End.CANCELLED);
                return false;
            }));
        } else if (dice < CANCELLED + TIMED_OUT) {
            outcome = exchange.timeout(haste()).onErrorResume(TimeoutException.class,
                    late -> ended(tally, End.TIMED_OUT));
        } else {
            outcome = exchange.timeout(Traffic.LOST_AFTER).onErrorResume(TimeoutException.class,
                    late -> ended(tally, End.LOST));
        }
        return outcome.doOnNext(delivered -> {
            if (delivered) {
                tally.delivered(bytes);
            }
        }).onErrorResume(error -> {
            tally.failed(error);
            // Delays the next exchange after a refused one, because failures would outnumber everything else.
            return Mono.delay(Duration.ofMillis(1)).thenReturn(false);
        }).then();
    }

    private static Mono<Boolean> ended(Tally tally, End end) {
        tally.ended(end);
        return Mono.just(false);
    }

    private Duration haste() {
        return Duration.ofNanos(1000L * (1 + random.nextInt(HASTE_MICROS)));
    }

    /** Chooses a size: mostly small, otherwise evenly distributed over the powers of two. */
    private int size(int maxBytes) {
        int power = random.nextInt(Integer.SIZE - Integer.numberOfLeadingZeros(maxBytes) + 1);
        return power == 0 ? 0 : (int) Math.min(maxBytes, (1L << power - 1) + random.nextLong(1L << power - 1));
    }
}
