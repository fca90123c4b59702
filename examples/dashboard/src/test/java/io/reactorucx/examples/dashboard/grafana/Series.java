package io.reactorucx.examples.dashboard.grafana;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import io.micrometer.prometheusmetrics.PrometheusNamingConvention;
import io.reactorucx.netty.UcxNettyMeters;
import io.reactorucx.transport.metrics.UcxMeters;
import java.util.List;
import java.util.stream.Stream;

/** How Prometheus calls the meters of the library. */
public final class Series {

    private static final PrometheusNamingConvention CONVENTION = new PrometheusNamingConvention();

    private Series() {
    }

    static String name(MeterDocumentation meter) {
        String name = CONVENTION.name(meter.getName(), meter.getType(), meter.getBaseUnit());
        // The end of a counter's name comes from the format, and not from the convention.
        return meter.getType() == Meter.Type.COUNTER ? name + "_total" : name;
    }

    /** {@return the series of a meter: two of a timer} */
    public static List<String> names(MeterDocumentation meter) {
        String name = name(meter);
        return meter.getType() == Meter.Type.TIMER ? List.of(name + "_count", name + "_sum") : List.of(name);
    }

    /** {@return the meters that every application has; those of peers by address are asked for} */
    public static List<MeterDocumentation> meters() {
        return Stream.<MeterDocumentation>concat(
                Stream.of(UcxMeters.values()).filter(meter -> meter != UcxMeters.PEER_CONNECTIONS),
                Stream.of(UcxNettyMeters.values())).toList();
    }
}
