/** The outgoing direction of a stream: the sends, the peer's credit, and the turns of the streams. */
@NullMarked
package io.reactorucx.internal.message.send;

import org.jspecify.annotations.NullMarked;
