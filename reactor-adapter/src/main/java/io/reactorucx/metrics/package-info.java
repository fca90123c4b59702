/** Micrometer meters of engines, connections and buffers. Needs {@code micrometer-core} on the path. */
@NullMarked
package io.reactorucx.metrics;

import org.jspecify.annotations.NullMarked;
