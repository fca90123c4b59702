/** Settings of connections, checked and immutable. */
@NullMarked
package io.reactorucx.transport.config;

import org.jspecify.annotations.NullMarked;
