package io.reactorucx.examples.store.wire;

import java.util.List;

/**
 * Writes that the primary of a pair sends to its backup.
 *
 * @param pair the pair
 * @param session what the primary gave the backup when it joined
 * @param changes writes in the order of their versions, which follow each other without a gap
 */
public record Batch(Pair pair, String session, List<Change> changes) {
}
