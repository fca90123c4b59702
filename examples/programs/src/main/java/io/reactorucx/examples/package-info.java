/** Programs: the demo of two processes, the soak, and a report of this machine's UCX. */
@NullMarked
package io.reactorucx.examples;

import org.jspecify.annotations.NullMarked;
