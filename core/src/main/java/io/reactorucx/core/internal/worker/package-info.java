/** The parts of a worker that know no object of the API. */
@NullMarked
package io.reactorucx.core.internal.worker;

import org.jspecify.annotations.NullMarked;
