/** Commands and timers by which any thread hands work to an engine's thread, and signals of ends. No Reactor. */
@NullMarked
package io.reactorucx.transport.command;

import org.jspecify.annotations.NullMarked;
