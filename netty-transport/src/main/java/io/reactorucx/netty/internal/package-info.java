/** The parts that the channels of Netty are made of: the engine of a loop, its links, the byte streams over them. */
@NullMarked
package io.reactorucx.netty.internal;

import org.jspecify.annotations.NullMarked;
