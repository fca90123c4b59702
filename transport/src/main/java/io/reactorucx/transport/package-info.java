/** Connections of UCX without Reactor: the part that users of each API on top of it see. */
@NullMarked
package io.reactorucx.transport;

import org.jspecify.annotations.NullMarked;
