/** Every byte that travels between framework peers: layouts, parsing, reserved ids. */
@NullMarked
package io.reactorucx.internal.frame;

import org.jspecify.annotations.NullMarked;
