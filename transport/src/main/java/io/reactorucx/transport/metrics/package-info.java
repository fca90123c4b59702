/** Meters of this library for Micrometer, and those of engines bound to a registry. */
@NullMarked
package io.reactorucx.transport.metrics;

import org.jspecify.annotations.NullMarked;
