/** The soak of two peers that send each other more than they may have in flight. */
@NullMarked
package io.reactorucx.examples.soak.load;

import org.jspecify.annotations.NullMarked;
