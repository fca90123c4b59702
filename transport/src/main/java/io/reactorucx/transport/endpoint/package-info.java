/** Endpoints of a worker: their allocation, release and close. */
@NullMarked
package io.reactorucx.transport.endpoint;

import org.jspecify.annotations.NullMarked;
