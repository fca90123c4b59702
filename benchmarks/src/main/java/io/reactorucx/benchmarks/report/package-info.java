/** Charts and tables of the figures of the load rig. */
@NullMarked
package io.reactorucx.benchmarks.report;

import org.jspecify.annotations.NullMarked;
