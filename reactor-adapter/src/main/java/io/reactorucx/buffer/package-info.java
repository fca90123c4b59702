/** Buffers: {@link io.reactorucx.buffer.UcxBuffer leases} on pooled memory that is registered with UCX. */
@NullMarked
package io.reactorucx.buffer;

import org.jspecify.annotations.NullMarked;
