/** How bytes go between channels of Netty, their sockets and their streams. */
@NullMarked
package io.reactorucx.netty.io;

import org.jspecify.annotations.NullMarked;
