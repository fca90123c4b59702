/** The load rig: Reactor UCX and what it is compared with, in turns, each measurement in two processes of its own. */
@NullMarked
package io.reactorucx.benchmarks.rig;

import org.jspecify.annotations.NullMarked;
