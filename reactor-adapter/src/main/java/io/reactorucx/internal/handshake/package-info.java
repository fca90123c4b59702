/** The handshake of framework peers, as state machines without a transport. */
@NullMarked
package io.reactorucx.internal.handshake;

import org.jspecify.annotations.NullMarked;
