/** Counters that the thread of one engine writes without a fence, and any thread reads. */
@NullMarked
package io.reactorucx.transport.counter;

import org.jspecify.annotations.NullMarked;
