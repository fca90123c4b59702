/**
 * Registered memory: {@link io.reactorucx.buffer.UcxBufferPool} hands out {@link io.reactorucx.buffer.UcxBuffer},
 * counted leases on its slabs.
 */
@NullMarked
package io.reactorucx.buffer;

import org.jspecify.annotations.NullMarked;
