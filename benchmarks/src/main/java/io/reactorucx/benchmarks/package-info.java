/** Programs that measure; nothing here is an API. */
@NullMarked
package io.reactorucx.benchmarks;

import org.jspecify.annotations.NullMarked;
