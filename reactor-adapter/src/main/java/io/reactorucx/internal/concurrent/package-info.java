/** Reactor around the engines: calls as Monos, threads that refuse to block, containment of user code. */
@NullMarked
package io.reactorucx.internal.concurrent;

import org.jspecify.annotations.NullMarked;
