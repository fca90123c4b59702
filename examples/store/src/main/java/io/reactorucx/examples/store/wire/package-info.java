/** The messages that nodes and their clients exchange, encoded as CBOR by Spring Messaging. */
@NullMarked
package io.reactorucx.examples.store.wire;

import org.jspecify.annotations.NullMarked;
