package io.reactorucx.examples.store.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.reactorucx.examples.store.wire.Pair;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PlacementTest {

    private static final int KEYS = 20_000;
    private static final int NODES = 5;

    private static final List<String> NAMES = IntStream.range(0, KEYS).mapToObj(i -> "key-" + i).toList();

    @Test
    void spreadsKeysOverAllPairs() {
        Placement placement = new Placement(NODES);
        var counts = NAMES.stream().collect(Collectors.groupingBy(placement::pair, Collectors.counting()));
        int pairs = NODES * (NODES - 1) / 2;
        assertThat(counts).hasSize(pairs);
        assertThat(counts.values()).allMatch(count -> count > KEYS / pairs / 2 && count < KEYS / pairs * 2);
        assertThat(placement.pairsOf(1)).containsExactly(new Pair(0, 1), new Pair(1, 2), new Pair(1, 3),
                new Pair(1, 4));
    }

    @Test
    void oneNodeMoreMovesFewKeys() {
        Placement before = new Placement(NODES);
        Placement after = new Placement(NODES + 1);
        long replicas = NAMES.stream().mapToLong(key -> IntStream.range(0, NODES)
                .filter(node -> before.pair(key).has(node) && !after.pair(key).has(node)).count()).sum();
        // Evenly spread, a new node gets one of six replicas. Some move besides, when the first node of a key changes.
        assertThat(replicas).isBetween(2L * KEYS / (NODES + 1) / 2, 2L * KEYS * 2 / (NODES + 1));
    }

    @Test
    void refusesNumbersOutOfRange() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Placement(1))
                .withMessage("store.nodes 1: must be in 2..1024");
        assertThatIllegalArgumentException().isThrownBy(() -> new Pair(1, 1));
    }
}
