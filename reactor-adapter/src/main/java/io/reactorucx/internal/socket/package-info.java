/** The control socket beside each connection, and the thread that serves all of them. */
@NullMarked
package io.reactorucx.internal.socket;

import org.jspecify.annotations.NullMarked;
