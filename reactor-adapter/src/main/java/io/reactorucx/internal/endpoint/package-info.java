/** Endpoints of a worker: their allocation, release and close. */
@NullMarked
package io.reactorucx.internal.endpoint;

import org.jspecify.annotations.NullMarked;
