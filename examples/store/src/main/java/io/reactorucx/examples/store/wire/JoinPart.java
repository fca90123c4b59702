package io.reactorucx.examples.store.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of the answer to a {@link JoinRequest}. The first says what the answering node is. If that is the primary,
 * parts with the entries of the pair follow.
 *
 * @param kind what it is
 * @param lease name of the lease of the node that answers
 * @param session names the backup in batches; null unless the node is the primary
 * @param version after which batches follow
 * @param entries of the pair
 */
public record JoinPart(Kind kind, String lease, @Nullable String session, long version, List<Change> entries) {

    /** Kinds of parts. */
    public enum Kind {
        /** The node is the primary, and its entries follow. */
        PRIMARY,
        /** Some entries. */
        ENTRIES,
        /** The node has no data either, and will not become the primary while the lease that asks lives. */
        CONCEDED,
        /** The node cannot help now. */
        WAIT
    }

    /**
     * The only part of an answer that gives no data.
     *
     * @param kind {@link Kind#CONCEDED} or {@link Kind#WAIT}
     * @param lease of the node that answers
     * @return the part
     */
    public static JoinPart without(Kind kind, String lease) {
        return new JoinPart(kind, lease, null, 0, List.of());
    }
}
