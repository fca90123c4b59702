package io.reactorucx.benchmarks.report;

import com.google.gson.JsonObject;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;

/** The lines of a chart, each with its points in order. */
final class Lines {

    /** The figure of a contender at a step of the sweep. */
    interface Value {

        OptionalDouble of(Run run, String contender);
    }

    private Lines() {
    }

    /**
     * Collects the lines from cases {@code sweep-CHART-...-STEP}.
     *
     * @param chart first part of the names of the cases
     * @param across gives the x value of a point; the step where it is empty
     * @param up gives the y value of a point
     * @return the points of each line, by its name
     */
    static Map<String, Map<Double, Double>> of(Run run, String chart, Value across, Value up) {
        Map<String, Map<Double, Double>> lines = new LinkedHashMap<>();
        for (JsonObject row : run.rows()) {
            String name = row.get("case").getAsString();
            if (!name.startsWith("sweep-" + chart + "-")) {
                continue;
            }
            double step = Double.parseDouble(name.substring(name.lastIndexOf('-') + 1));
            for (String side : new String[] {"contender", "against"}) {
                if (row.has(side)) {
                    String contender = row.get(side).getAsString();
                    up.of(run, contender).ifPresent(value -> lines.computeIfAbsent(lineOf(contender),
                            added -> new TreeMap<>()).put(across.of(run, contender).orElse(step), value));
                }
            }
        }
        return lines;
    }

    /** The name of a contender without its step. */
    static String lineOf(String contender) {
        int comma = contender.lastIndexOf(',');
        return comma < 0 ? contender : contender.substring(0, comma);
    }
}
