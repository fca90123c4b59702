package io.reactorucx.examples.dashboard;

import java.time.Duration;
import reactor.core.publisher.Flux;

/** Ticks at a rate that rises and falls, so that the charts have a shape. */
final class Wave {

    private static final Duration STEP = Duration.ofMillis(10);
    private static final double STEP_SECONDS = STEP.toMillis() / 1000.0;
    private static final double PERIOD_SECONDS = 40;
    /** By which part of the mean the rate rises and falls. */
    private static final double SWING = 0.5;

    private final double perSecond;
    private double due;

    Wave(double perSecond) {
        this.perSecond = perSecond;
    }

    /** Each subscriber begins at the mean. What nobody takes in time is left out. */
    static Flux<Integer> of(int meanPerSecond) {
        return Flux.defer(() -> {
            Wave wave = new Wave(meanPerSecond);
            return Flux.interval(STEP).onBackpressureDrop().concatMap(step -> Flux.range(0, wave.countOf(step)));
        });
    }

    int countOf(long step) {
        double phase = 2 * Math.PI * step * STEP_SECONDS / PERIOD_SECONDS;
        due += perSecond * STEP_SECONDS * (1 + SWING * Math.sin(phase));
        int count = (int) due;
        due -= count;
        return count;
    }
}
