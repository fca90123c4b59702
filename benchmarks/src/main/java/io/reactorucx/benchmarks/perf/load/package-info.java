/** Loads of an engine: when the next operation begins, and what has arrived. */
@NullMarked
package io.reactorucx.benchmarks.perf.load;

import org.jspecify.annotations.NullMarked;
