package io.reactorucx.examples;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import io.micrometer.prometheusmetrics.PrometheusNamingConvention;
import io.reactorucx.netty.UcxNettyMeters;
import io.reactorucx.transport.metrics.UcxMeters;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;

/** {@code docs/spec/metrics.md}, from the enums of meters. */
final class MetersPage {

    private static final PrometheusNamingConvention PROMETHEUS = new PrometheusNamingConvention();

    private final StringBuilder text = new StringBuilder();

    String write() {
        text.append("""
                # Meters: names, types, units and tags

                `UcxMetrics` binds the first table to a registry of Micrometer ([guide](../guide/metrics.md)),
                `UcxNettyMetrics` the second, and of the first what is counted of each engine
                ([Netty](../guide/netty.md#meters)). Both tables begin each name with what it is about; a name that
                ends with `.limit` is the limit of the meter before that. The last column is what Prometheus shows; a
                timer has `_count` and `_sum` there. Each resources need tags of their own in a registry. `bind` of
                either class returns what removes the meters that it has bound.

                `MetersPageTest` writes this page by `./run test -Dmeters.write` from the enums `UcxMeters` and
                `UcxNettyMeters`, and fails when the page is out of date.

                ## Resources

                """);
        head();
        for (UcxMeters meter : UcxMeters.values()) {
            row(meter, meter.description());
        }
        text.append("\n## Tags\n\n| tag | values |\n|---|---|\n");
        for (UcxMeters.Tag tag : UcxMeters.Tag.values()) {
            text.append("| `").append(tag.asString()).append("` | ").append(tag.description()).append(" |\n");
        }
        text.append("| `loop` | name of a loop of Netty |\n\n## Loops of Netty\n\n");
        head();
        for (UcxNettyMeters meter : UcxNettyMeters.values()) {
            row(meter, meter.description());
        }
        return text.toString();
    }

    private void head() {
        text.append("| meter | type | base unit | tags | counts | Prometheus |\n|---|---|---|---|---|---|\n");
    }

    private void row(MeterDocumentation meter, String description) {
        String tags = Arrays.stream(meter.getKeyNames()).map(KeyName::asString).map(tag -> "`" + tag + "`")
                .collect(Collectors.joining(", "));
        text.append("| `").append(meter.getName()).append("` | ")
                .append(meter.getType().name().toLowerCase(Locale.ROOT)).append(" | ").append(meter.getBaseUnit())
                .append(" | ").append(tags).append(" | ").append(description).append(" | `").append(inPrometheus(meter))
                .append("` |\n");
    }

    /** Returns the name of the series, or for a timer what its names begin with. */
    static String inPrometheus(MeterDocumentation meter) {
        String name = PROMETHEUS.name(meter.getName(), meter.getType(), Objects.requireNonNull(meter.getBaseUnit()));
        return meter.getType() == Meter.Type.COUNTER && !name.endsWith("_total") ? name + "_total" : name;
    }
}
