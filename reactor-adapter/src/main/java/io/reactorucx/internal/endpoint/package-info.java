/** Endpoints of a worker: how they are paired with the peer's, released and closed. */
@NullMarked
package io.reactorucx.internal.endpoint;

import org.jspecify.annotations.NullMarked;
