/** Programs that take turns: only one of them runs at a time, and the others are stopped by signals meanwhile. */
@NullMarked
package io.reactorucx.benchmarks.turns;

import org.jspecify.annotations.NullMarked;
