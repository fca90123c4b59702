/** Control sockets of connections, and the event loop that serves them. */
@NullMarked
package io.reactorucx.transport.socket;

import org.jspecify.annotations.NullMarked;
