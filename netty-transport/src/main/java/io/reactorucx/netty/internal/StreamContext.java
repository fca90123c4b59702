package io.reactorucx.netty.internal;

import io.reactorucx.engine.CommandExecutor;
import io.reactorucx.netty.UcxNettyConfig;
import io.reactorucx.netty.buffer.LoopBuffers;
import io.reactorucx.netty.counter.LoopCounters;

/**
 * What the streams and links of one engine share.
 *
 * @param config of the loop
 * @param counters of the loop
 * @param rounds of the engine
 * @param engine runs the channels
 * @param buffers of the engine
 */
record StreamContext(UcxNettyConfig config, LoopCounters counters, LoopRounds rounds, CommandExecutor engine,
        LoopBuffers buffers) {
}
