/** Single steps on the way of a message, with JMH. */
@NullMarked
package io.reactorucx.benchmarks.jmh;

import org.jspecify.annotations.NullMarked;
