/** The cases that are measured: who is compared with whom, by which figure. */
@NullMarked
package io.reactorucx.benchmarks.rig.cases;

import org.jspecify.annotations.NullMarked;
