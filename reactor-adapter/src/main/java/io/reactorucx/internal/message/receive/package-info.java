/** The incoming direction of a stream: credit that this side gives, messages that wait, and its subscriber. */
@NullMarked
package io.reactorucx.internal.message.receive;

import org.jspecify.annotations.NullMarked;
