/** Connecting and accepting: assembles a connection with its protocols. */
@NullMarked
package io.reactorucx.transport.connect;

import org.jspecify.annotations.NullMarked;
