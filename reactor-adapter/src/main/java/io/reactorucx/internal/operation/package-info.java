/** One operation of UCX as the subscription of a {@code Mono}. */
@NullMarked
package io.reactorucx.internal.operation;

import org.jspecify.annotations.NullMarked;
