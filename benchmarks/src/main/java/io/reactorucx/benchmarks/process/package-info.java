/** Processes that a program starts, stops, continues and ends. */
@NullMarked
package io.reactorucx.benchmarks.process;

import org.jspecify.annotations.NullMarked;
