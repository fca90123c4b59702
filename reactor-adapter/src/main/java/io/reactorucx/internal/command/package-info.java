/** Commands and timers by which any thread hands work to an engine's thread, and signals of ends. No Reactor. */
@NullMarked
package io.reactorucx.internal.command;

import org.jspecify.annotations.NullMarked;
