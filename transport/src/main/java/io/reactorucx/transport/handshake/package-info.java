/** The handshake of framework peers, as state machines without a transport. */
@NullMarked
package io.reactorucx.transport.handshake;

import org.jspecify.annotations.NullMarked;
