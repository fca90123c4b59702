/** What one operation costs between two processes, in the manner of {@code ucx_perftest}. */
@NullMarked
package io.reactorucx.benchmarks.perf;

import org.jspecify.annotations.NullMarked;
