/** Operations of UCX as subscriptions of a {@code Mono}. */
@NullMarked
package io.reactorucx.internal.operation;

import org.jspecify.annotations.NullMarked;
