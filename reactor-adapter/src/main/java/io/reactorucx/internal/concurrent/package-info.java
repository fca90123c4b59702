/** How other threads hand work to an engine's thread. */
@NullMarked
package io.reactorucx.internal.concurrent;

import org.jspecify.annotations.NullMarked;
