/** Remote memory, served by the owner's engine or by one-sided operations of UCX. */
@NullMarked
package io.reactorucx.internal.memory;

import org.jspecify.annotations.NullMarked;
