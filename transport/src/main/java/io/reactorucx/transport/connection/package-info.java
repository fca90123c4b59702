/** A connection on its engine: its lifecycle, its operations and its protocols. */
@NullMarked
package io.reactorucx.transport.connection;

import org.jspecify.annotations.NullMarked;
