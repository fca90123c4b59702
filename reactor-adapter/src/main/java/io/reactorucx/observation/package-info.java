/** Observations of Micrometer. Needs {@code micrometer-observation} on the path. */
@NullMarked
package io.reactorucx.observation;

import org.jspecify.annotations.NullMarked;
