/** The load rig: measures Reactor UCX and other libraries in turn, each in two processes of its own. */
@NullMarked
package io.reactorucx.benchmarks.rig;

import org.jspecify.annotations.NullMarked;
