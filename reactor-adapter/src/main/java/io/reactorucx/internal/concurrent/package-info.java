/** Commands, calls and timers by which any thread hands work to an engine's thread. */
@NullMarked
package io.reactorucx.internal.concurrent;

import org.jspecify.annotations.NullMarked;
