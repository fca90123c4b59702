package io.reactorucx.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactorucx.transport.metrics.BoundMeters;
import io.reactorucx.transport.metrics.UcxMeters;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Hosts of peers have as many meters as were asked for, however many hosts there are. */
class PeerMetersTest {

    private static final int SHOWN = 3;
    private static final int HOSTS = 10_000;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final Map<String, Integer> connections = new HashMap<>();
    private final PeerMeters<Map<String, Integer>> meters = new PeerMeters<>(registry, Tags.of("role", "test"), SHOWN,
            TreeMap::new);

    PeerMetersTest() {
        meters.bind(new BoundMeters<>(registry, connections));
    }

    private double value(String peer) {
        return registry.get(UcxMeters.PEER_CONNECTIONS.getName()).tags("peer", peer, "role", "test").gauge().value();
    }

    @Test
    void firstHostsHaveAMeterAndAllOthersShareOne() {
        for (int i = 0; i < HOSTS; i++) {
            connections.put("10.0." + i / 256 + "." + i % 256, 2);
        }
        assertThat(value("other")).isEqualTo(2 * (HOSTS - SHOWN));
        assertThat(registry.getMeters()).hasSize(SHOWN + 1);
        assertThat(value("10.0.0.0")).isEqualTo(2);
        assertThat(registry.getMeters().stream().mapToDouble(each -> each.measure().iterator().next().getValue())
                .sum()).isEqualTo(2 * HOSTS);
    }

    @Test
    void hostWithoutConnectionsMakesRoomForAnother() {
        connections.putAll(Map.of("a", 1, "b", 1, "c", 1, "d", 4));
        assertThat(value("other")).isEqualTo(4);
        connections.remove("b");
        assertThat(value("other")).isZero();
        assertThat(value("d")).isEqualTo(4);
        assertThat(registry.find(UcxMeters.PEER_CONNECTIONS.getName()).tag("peer", "b").gauge()).isNull();
    }

    @Test
    void hostThatIsCalledOtherIsOneOfTheOthers() {
        connections.putAll(Map.of("other", 5));
        assertThat(value("other")).isEqualTo(5);
        connections.clear();
        assertThat(value("other")).isZero();
        meters.removeAll();
        assertThat(registry.getMeters()).hasSize(1);
    }

    /** A scrape may have begun before the removal. */
    @Test
    void readingAfterTheRemovalShowsNoHostAgain() {
        connections.put("a", 1);
        assertThat(value("other")).isZero();
        assertThat(registry.getMeters()).hasSize(2);
        meters.removeAll();
        assertThat(value("other")).isZero();
        assertThat(registry.getMeters()).hasSize(1);
    }
}
