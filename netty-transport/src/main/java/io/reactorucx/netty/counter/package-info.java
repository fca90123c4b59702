/** The counters of loops, and who learns of the loops of a factory. */
@NullMarked
package io.reactorucx.netty.counter;

import org.jspecify.annotations.NullMarked;
