package io.reactorucx.examples.store.replica;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.hash.HashCode;
import com.google.common.hash.Hashing;
import io.reactorucx.examples.store.wire.Pair;
import java.util.ArrayList;
import java.util.List;

/**
 * Which two of the numbered nodes hold a key. With one node more, about two of that many keys move.
 *
 * @param nodes how many nodes there are, alive or not
 */
public record Placement(int nodes) {

    private static final int MAX_NODES = 1024;

    /** Checks the number. */
    public Placement {
        if (nodes < 2 || nodes > MAX_NODES) {
            throw new IllegalArgumentException("store.nodes " + nodes + ": must be in 2.." + MAX_NODES);
        }
    }

    /**
     * The nodes of a key.
     *
     * @param key the key
     * @return the numbers of two nodes
     */
    // snippet: placement
    public Pair pair(String key) {
        HashCode hash = Hashing.murmur3_128().hashString(key, UTF_8);
        int first = Hashing.consistentHash(hash, nodes);
        int second = Hashing.consistentHash(Hashing.murmur3_128().hashBytes(hash.asBytes()), nodes - 1);
        return Pair.of(first, second < first ? second : second + 1);
    }
    // end

    /**
     * The pairs that a node belongs to.
     *
     * @param node its number
     * @return one for each other node
     */
    public List<Pair> pairsOf(int node) {
        List<Pair> pairs = new ArrayList<>();
        for (int other = 0; other < nodes; other++) {
            if (other != node) {
                pairs.add(Pair.of(node, other));
            }
        }
        return pairs;
    }
}
