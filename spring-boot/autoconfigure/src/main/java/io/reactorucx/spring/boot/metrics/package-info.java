/** Binds the meters of engines and loops. */
@NullMarked
package io.reactorucx.spring.boot.metrics;

import org.jspecify.annotations.NullMarked;
