/** The frames that open, bind and end connections: layouts, parsing, reserved ids. */
@NullMarked
package io.reactorucx.transport.frame;

import org.jspecify.annotations.NullMarked;
