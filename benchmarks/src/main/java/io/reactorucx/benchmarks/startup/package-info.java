/** How long a new JVM takes to its first reply and to its full rate, with and without an AOT cache. */
@NullMarked
package io.reactorucx.benchmarks.startup;

import org.jspecify.annotations.NullMarked;
