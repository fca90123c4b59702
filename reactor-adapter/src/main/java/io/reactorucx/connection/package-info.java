/** The state of connections, and statistics of connections and peers. */
@NullMarked
package io.reactorucx.connection;

import org.jspecify.annotations.NullMarked;
