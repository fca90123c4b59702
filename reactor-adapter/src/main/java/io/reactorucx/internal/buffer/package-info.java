/** Slabs of registered memory, leases on them, and the search for leaked ones. */
@NullMarked
package io.reactorucx.internal.buffer;

import org.jspecify.annotations.NullMarked;
