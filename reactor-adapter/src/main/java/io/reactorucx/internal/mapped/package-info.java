/**
 * Large messages between processes of one host: the sender offers a part of a slab of its pool, and the receiver copies
 * it from its mapping of that slab. With failure detection UCX has no way that copies once.
 */
@NullMarked
package io.reactorucx.internal.mapped;

import org.jspecify.annotations.NullMarked;
