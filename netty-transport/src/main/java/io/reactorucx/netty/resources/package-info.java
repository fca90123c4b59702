/** The loops of UCX for Reactor Netty. */
@NullMarked
package io.reactorucx.netty.resources;

import org.jspecify.annotations.NullMarked;
