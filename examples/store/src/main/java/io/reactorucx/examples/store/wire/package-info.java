/** What nodes and their clients say to each other, encoded as CBOR by Spring Messaging. */
@NullMarked
package io.reactorucx.examples.store.wire;

import org.jspecify.annotations.NullMarked;
