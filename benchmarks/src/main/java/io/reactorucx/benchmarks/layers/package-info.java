/** Measurements of core and of the engine alone. */
@NullMarked
package io.reactorucx.benchmarks.layers;

import org.jspecify.annotations.NullMarked;
