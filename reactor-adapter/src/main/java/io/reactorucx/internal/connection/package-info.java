/** The life of one connection on its engine, and the connections of an engine. */
@NullMarked
package io.reactorucx.internal.connection;

import org.jspecify.annotations.NullMarked;
