/** The frames of the protocols: layouts and parsing. */
@NullMarked
package io.reactorucx.internal.frame;

import org.jspecify.annotations.NullMarked;
