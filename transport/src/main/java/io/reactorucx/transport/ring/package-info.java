/**
 * Rings in memory between two engines of one host, which carry the small messages of their connections: each engine
 * writes only its own memory, which its peer has mapped to read. See {@link io.reactorucx.transport.ring.RingCarrier}.
 */
@NullMarked
package io.reactorucx.transport.ring;

import org.jspecify.annotations.NullMarked;
