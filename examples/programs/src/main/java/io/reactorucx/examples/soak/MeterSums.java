package io.reactorucx.examples.soak;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.search.Search;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactorucx.UcxResources;
import io.reactorucx.memory.ServedMemoryStatistics.Access;
import io.reactorucx.message.TrafficStatistics.Api;
import io.reactorucx.metrics.UcxMetrics;
import io.reactorucx.transport.metrics.UcxMeters;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The sums of this process's meters of traffic, over all engines. */
final class MeterSums {

    private final MeterRegistry registry = new SimpleMeterRegistry();

    MeterSums(UcxResources resources) {
        new UcxMetrics(resources).bindTo(registry);
    }

    /** Returns the name of the sum of a meter whose tag has a value. */
    static String name(UcxMeters meter, Enum<?> value) {
        return meter.getName() + " " + value.name().toLowerCase(Locale.ROOT);
    }

    /** Returns the sums of now, by {@link #name}. */
    Levels now() {
        Map<String, Long> values = new LinkedHashMap<>();
        for (Api api : Api.values()) {
            for (UcxMeters meter : List.of(UcxMeters.SENT_MESSAGES, UcxMeters.SENT_BYTES, UcxMeters.RECEIVED_MESSAGES,
                    UcxMeters.RECEIVED_BYTES)) {
                values.put(name(meter, api), sum(meter, UcxMeters.Tag.API, api));
            }
        }
        for (Access access : Access.values()) {
            for (UcxMeters meter : List.of(UcxMeters.MEMORY_ACCESSES, UcxMeters.MEMORY_ACCESSED,
                    UcxMeters.SERVED_REQUESTS, UcxMeters.SERVED_BYTES)) {
                values.put(name(meter, access), sum(meter, UcxMeters.Tag.ACCESS, access));
            }
        }
        for (Ended ended : Ended.values()) {
            values.put(name(UcxMeters.REQUESTS, ended), sum(UcxMeters.REQUESTS, UcxMeters.Tag.OUTCOME, ended));
        }
        return new Levels(values);
    }

    /** How requests end, as the tag says. */
    enum Ended { SUCCESS, ERROR, CANCELLED, DEADLINE }

    private long sum(UcxMeters meter, UcxMeters.Tag tag, Enum<?> value) {
        return Search.in(registry).name(meter.getName()).tag(tag.asString(), value.name().toLowerCase(Locale.ROOT))
                .meters().stream().mapToLong(MeterSums::count).sum();
    }

    private static long count(Meter meter) {
        return (long) meter.measure().iterator().next().getValue();
    }
}
