/** Programs to run: the demo of two processes, and what this machine's UCX offers. */
@NullMarked
package io.reactorucx.examples;

import org.jspecify.annotations.NullMarked;
