package io.reactorucx.benchmarks.rig;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.reactorucx.benchmarks.rig.cases.Metric;
import java.util.OptionalDouble;

/**
 * The figures of a contender in one round, or its failure.
 *
 * @param figures the figures that it printed; empty after a failure
 * @param failure why there are no figures; empty otherwise
 */
record Measurement(JsonObject figures, String failure) {

    static Measurement of(JsonObject figures) {
        return new Measurement(figures, "");
    }

    static Measurement failed(String reason) {
        return new Measurement(new JsonObject(), reason);
    }

    boolean hasFailed() {
        return !failure.isEmpty();
    }

    OptionalDouble figure(Metric metric) {
        JsonElement value = figures.get(metric.field());
        return value == null || value.isJsonNull() ? OptionalDouble.empty() : OptionalDouble.of(value.getAsDouble());
    }
}
