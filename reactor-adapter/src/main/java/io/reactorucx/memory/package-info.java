/** Remote memory: exported windows, their descriptors and rights, and how a peer reaches them. */
@NullMarked
package io.reactorucx.memory;

import org.jspecify.annotations.NullMarked;
