/** Sockets of the system: addresses, owners, filters. */
@NullMarked
package io.reactorucx.core.internal.socket;

import org.jspecify.annotations.NullMarked;
