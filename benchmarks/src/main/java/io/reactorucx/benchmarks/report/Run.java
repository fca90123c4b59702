package io.reactorucx.benchmarks.report;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.StreamSupport;

/** The JSON that a run of {@code bench} has written, with its single measurements or without. */
final class Run {

    private static final String MEASUREMENTS = "measurements";

    private final JsonObject json;
    private final Map<String, List<JsonObject>> figures = new LinkedHashMap<>();

    Run(JsonObject json) {
        this.json = json;
        JsonArray measurements = json.has(MEASUREMENTS) ? json.getAsJsonArray(MEASUREMENTS) : new JsonArray();
        for (JsonElement each : measurements) {
            JsonObject one = each.getAsJsonObject();
            if (one.has("figures")) {
                figures.computeIfAbsent(one.get("contender").getAsString(), added -> new ArrayList<>())
                        .add(one.getAsJsonObject("figures"));
            }
        }
    }

    static Run of(Path file) throws IOException {
        if (!Files.exists(file)) {
            throw new IOException(file + " does not exist; ./run bench --publish writes such a file");
        }
        try {
            JsonObject json = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
            if (json.has("rows") && json.has("started")) {
                return new Run(json);
            }
        } catch (JsonParseException | IllegalStateException e) {
            throw new IOException(file + ": not a file that bench has written", e);
        }
        throw new IOException(file + ": not a file that bench has written");
    }

    List<JsonObject> rows() {
        return StreamSupport.stream(json.getAsJsonArray("rows").spliterator(), false).map(JsonElement::getAsJsonObject)
                .toList();
    }

    /** {@return the names of the contenders, in the order of the run} */
    List<String> contenders() {
        return List.copyOf(figures.keySet());
    }

    /** {@return the median of a figure over a contender's rounds; empty when no round has it} */
    OptionalDouble median(String contender, String field) {
        double[] values = figures.getOrDefault(contender, List.of()).stream()
                .filter(each -> each.has(field) && !each.get(field).isJsonNull())
                .mapToDouble(each -> each.get(field).getAsDouble()).sorted().toArray();
        int middle = values.length / 2;
        return values.length == 0 ? OptionalDouble.empty() : OptionalDouble.of(values.length % 2 == 1 ? values[middle]
                : (values[middle - 1] + values[middle]) / 2);
    }

    /** {@return whether a contender's latency is half of a round trip} */
    boolean isOneWay(String contender) {
        return figures.getOrDefault(contender, List.of()).stream().anyMatch(each -> each.has("one_way")
                && each.get("one_way").getAsBoolean());
    }

    private String text(String object, String field) {
        JsonObject inside = json.getAsJsonObject(object);
        return inside != null && inside.has(field) ? inside.get(field).getAsString() : "?";
    }

    /** {@return a sentence about the date, the machine and the method of the measurement} */
    String circumstances() {
        return String.format("Measured on %s: %s, %s processors, %s, %s, UCX %s; up to %s rounds of %s s after up to"
                + " %s s, %s%s.", json.get("started").getAsString().substring(0, "2026-01-01".length()),
                text("machine", "processor"), text("machine", "processors"), text("machine", "system"),
                text("machine", "java"), text("machine", "ucx"), text("how", "pairs"), text("how", "seconds"),
                text("how", "warmup_seconds"), text("how", "pinning"),
                json.has("commit") ? ", commit " + json.get("commit").getAsString() : "");
    }
}
