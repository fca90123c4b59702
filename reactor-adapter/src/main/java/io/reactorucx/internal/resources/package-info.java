/** The parts behind the shared resources of connections: all protocols, and what engines count. */
@NullMarked
package io.reactorucx.internal.resources;

import org.jspecify.annotations.NullMarked;
