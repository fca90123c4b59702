/** An event loop and socket channels for Netty, whose bytes go over UCX. */
@NullMarked
package io.reactorucx.netty;

import org.jspecify.annotations.NullMarked;
