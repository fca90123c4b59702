package io.reactorucx.netty.counter;

import io.reactorucx.engine.ProgressEngine;

/**
 * Learns of the loops of a factory and of their engines.
 *
 * <p>Thread: a loop, or the one that adds the listener.
 */
public interface LoopListener {

    /** A loop was made. */
    void loopStarted(LoopCounters loop);

    /** A loop has ended. */
    void loopEnded(LoopCounters loop);

    /** A loop has an engine, its first channel's or one for another network device. */
    void engineStarted(ProgressEngine engine);

    /** An engine has closed. */
    void engineEnded(ProgressEngine engine);
}
