/**
 * The replication of a node: which keys it has, in which memory, and when it may answer for them.
 *
 * <p>Of two nodes that hold the same keys, one is the primary, which orders the writes, and the other its backup.
 */
@NullMarked
package io.reactorucx.examples.store.replica;

import org.jspecify.annotations.NullMarked;
