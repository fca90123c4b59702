/** What carries the frames of a connection to its peer: an endpoint of UCX, and how its use begins and ends. */
@NullMarked
package io.reactorucx.transport.carrier;

import org.jspecify.annotations.NullMarked;
