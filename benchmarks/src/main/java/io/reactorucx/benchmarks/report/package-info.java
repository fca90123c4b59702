/** What is drawn and written of the figures that the load rig has left behind. */
@NullMarked
package io.reactorucx.benchmarks.report;

import org.jspecify.annotations.NullMarked;
