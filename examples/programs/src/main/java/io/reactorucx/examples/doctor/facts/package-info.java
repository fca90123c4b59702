/** Facts about this machine, this process and its UCX, on which the checks look. */
@NullMarked
package io.reactorucx.examples.doctor.facts;

import org.jspecify.annotations.NullMarked;
