/** What the lower layers cost by themselves. */
@NullMarked
package io.reactorucx.benchmarks.layers;

import org.jspecify.annotations.NullMarked;
