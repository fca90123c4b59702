package io.reactorucx.examples.dashboard.grafana;

import io.micrometer.core.instrument.docs.MeterDocumentation;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A query of a panel.
 *
 * @param expression in PromQL, with Grafana's variables
 * @param legend of its lines
 * @param unit as Grafana names it
 */
record Query(String expression, String legend, String unit) {

    private static final String INSTANCES = "job=~\"$job\", instance=~\"$instance\"";
    private static final String RANGE = "[$__rate_interval]";

    /** Levels of a gauge, summed up but for some tags. */
    static Query level(MeterDocumentation meter, String... tags) {
        return of(sum(select(Series.name(meter)), tags), tags, unit(meter)).called(meter);
    }

    /** The largest of a gauge's levels. */
    static Query highest(MeterDocumentation meter, String matchers, String... tags) {
        return of("max by (" + by(tags) + ") (" + select(Series.name(meter), matchers) + ")", tags, unit(meter));
    }

    /** How fast a counter grows, summed up but for some tags. */
    static Query rate(MeterDocumentation meter, String... tags) {
        return rate(Series.name(meter), rateUnit(meter), tags).called(meter);
    }

    /** How fast the counter of this name grows, summed up but for some tags. */
    static Query rate(String name, String unit, String... tags) {
        return of(sum("rate(" + select(name) + RANGE + ")", tags), tags, unit);
    }

    /** How fast a counter of some tags grows. */
    static Query rateOf(MeterDocumentation meter, String matchers, String... tags) {
        return of(sum("rate(" + select(Series.name(meter), matchers) + RANGE + ")", tags), tags, rateUnit(meter));
    }

    /** What the events of a timer have taken in the mean. */
    static Query mean(MeterDocumentation timer, String... tags) {
        return mean(Series.name(timer), tags);
    }

    /** What the events of the timer of this name have taken in the mean. */
    static Query mean(String name, String... tags) {
        return of(sum("rate(" + select(name + "_sum") + RANGE + ")", tags) + " / "
                + sum("rate(" + select(name + "_count") + RANGE + ")", tags), tags, "s");
    }

    /** A percentile of the timer of this name, from its buckets. */
    static Query percentile(double phi, String name, String... tags) {
        String[] withBound = Stream.concat(Stream.of(tags), Stream.of("le")).toArray(String[]::new);
        return of("histogram_quantile(" + phi + ", " + sum("rate(" + select(name + "_bucket") + RANGE + ")", withBound)
                + ")", tags, "s");
    }

    /** Which part of a counter is that of some tags. */
    static Query share(MeterDocumentation meter, String matchers) {
        return of(sum("rate(" + select(Series.name(meter), matchers) + RANGE + ")") + " / "
                + sum("rate(" + select(Series.name(meter)) + RANGE + ")"), new String[0], "percentunit");
    }

    /** Which part of a counter is not that of another one. */
    static Query rest(MeterDocumentation whole, MeterDocumentation part, String... tags) {
        return of("1 - " + sum("rate(" + select(Series.name(part)) + RANGE + ")", tags) + " / "
                + sum("rate(" + select(Series.name(whole)) + RANGE + ")", tags), tags, "percentunit");
    }

    /** Levels of the gauge of this name. */
    static Query named(String name, String unit, String... tags) {
        return of(sum(select(name), tags), tags, unit);
    }

    private static Query of(String expression, String[] tags, String unit) {
        return new Query(expression, Stream.concat(Stream.of("instance"), Stream.of(tags))
                .map(tag -> "{{" + tag + "}}").collect(Collectors.joining(" ")), unit);
    }

    /** The same with words in front of the legend. */
    Query called(String words) {
        return new Query(expression, words + ": " + legend, unit);
    }

    private Query called(MeterDocumentation meter) {
        String[] parts = meter.getName().split("\\.");
        List<String> words = new ArrayList<>(List.of(parts));
        return called(String.join(" ", words.subList(2, words.size())));
    }

    private static String select(String name) {
        return name + "{" + INSTANCES + "}";
    }

    private static String select(String name, String matchers) {
        return name + "{" + INSTANCES + ", " + matchers + "}";
    }

    private static String sum(String expression, String... tags) {
        return "sum by (" + by(tags) + ") (" + expression + ")";
    }

    private static String by(String... tags) {
        return Stream.concat(Stream.of("instance"), Stream.of(tags)).collect(Collectors.joining(", "));
    }

    private static String unit(MeterDocumentation meter) {
        return switch (String.valueOf(meter.getBaseUnit())) {
            case "bytes" -> "bytes";
            case "seconds" -> "s";
            default -> "short";
        };
    }

    private static String rateUnit(MeterDocumentation meter) {
        return switch (String.valueOf(meter.getBaseUnit())) {
            case "bytes" -> "Bps";
            case "messages" -> "mps";
            case "operations" -> "ops";
            case "requests" -> "reqps";
            default -> "cps";
        };
    }
}
