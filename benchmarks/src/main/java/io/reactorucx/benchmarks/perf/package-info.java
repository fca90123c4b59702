/** Measurements of single operations between two processes, as {@code ucx_perftest} does them. */
@NullMarked
package io.reactorucx.benchmarks.perf;

import org.jspecify.annotations.NullMarked;
