/** Programs of Netty over the kernel's TCP and over UCX, and the load under which both are measured. */
@NullMarked
package io.reactorucx.examples.netty;

import org.jspecify.annotations.NullMarked;
