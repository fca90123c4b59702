/** RSocket's transports over UCX: each frame is a message of a connection. */
@NullMarked
package io.reactorucx.rsocket;

import org.jspecify.annotations.NullMarked;
