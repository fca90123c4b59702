package io.reactorucx.metrics;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.reactorucx.transport.metrics.BoundMeters;
import io.reactorucx.transport.metrics.UcxMeters;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Shows the connections of a limited number of hosts, and all others as one. A host is shown from the first reading
 * after its first connection until the first one after its last, so that others can take its place.
 *
 * <p>Thread: any.
 */
final class PeerMeters<T> {

    private static final String OTHER = "other";

    private final MeterRegistry registry;
    private final Tags common;
    private final int maxPeers;
    private final Function<T, Map<String, Integer>> byHost;
    private final Map<String, Meter> shown = new HashMap<>();
    private boolean removed;

    /**
     * Creates the meters of no host.
     *
     * @param byHost counts the connections of a source by their host
     */
    PeerMeters(MeterRegistry registry, Tags common, int maxPeers, Function<T, Map<String, Integer>> byHost) {
        this.byHost = byHost;
        this.registry = registry;
        this.common = common;
        this.maxPeers = maxPeers;
    }

    private static Tags peer(Tags tags, String host) {
        return tags.and(UcxMeters.Tag.PEER.asString(), host);
    }

    /** Registers the meter of all hosts that are not shown, whose reading adds and removes the others. */
    void bind(BoundMeters<T> meters) {
        meters.gauge(UcxMeters.PEER_CONNECTIONS, peer(common, OTHER), this::others);
    }

    private synchronized double others(T source) {
        if (removed) {
            // A reading that had begun before the removal must not add meters again.
            return 0;
        }
        Map<String, Integer> counts = byHost.apply(source);
        Set<String> gone = new HashSet<>(shown.keySet());
        gone.removeAll(counts.keySet());
        gone.forEach(this::remove);
        int others = 0;
        for (Map.Entry<String, Integer> each : counts.entrySet()) {
            String host = each.getKey();
            if (shown.containsKey(host)) {
                continue;
            }
            if (shown.size() < maxPeers && !host.equals(OTHER)) {
                shown.put(host, new BoundMeters<>(registry, source).gauge(UcxMeters.PEER_CONNECTIONS,
                        peer(common, host), of -> byHost.apply(of).getOrDefault(host, 0)));
            } else {
                others += each.getValue();
            }
        }
        return others;
    }

    private void remove(String host) {
        Meter meter = shown.remove(host);
        if (meter != null) {
            BoundMeters.removeAll(registry, List.of(meter));
        }
    }

    synchronized void removeAll() {
        removed = true;
        Set.copyOf(shown.keySet()).forEach(this::remove);
    }
}
