/** Channels of Netty over UCX, between two processes, under load and faults, with each byte checked. */
@NullMarked
package io.reactorucx.examples.soak.netty;

import org.jspecify.annotations.NullMarked;
