/** Buffers of Netty whose memory UCX reads and writes, and the buffers that peers read in place. */
@NullMarked
package io.reactorucx.netty.buffer;

import org.jspecify.annotations.NullMarked;
