package io.reactorucx.examples.soak.netty;

import io.reactorucx.examples.soak.Tallies;
import java.time.Duration;
import java.util.SplittableRandom;

/** Traffic with the server process that can run for any time. */
interface NettyTraffic {

    /** Runs until the time has passed and nothing is in progress. */
    void run(Duration time, SplittableRandom random, Tallies tallies);
}
