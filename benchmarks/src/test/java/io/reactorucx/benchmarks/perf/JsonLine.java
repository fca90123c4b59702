package io.reactorucx.benchmarks.perf;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads one line of JSON: an object of strings, numbers, booleans and null. */
final class JsonLine {

    private static final String VALUE = "\"[^\"\\\\]*\"|-?\\d+(?:\\.\\d+)?|true|false|null";
    private static final Pattern FIELD = Pattern.compile("\"(\\w+)\":(" + VALUE + ")");
    private static final Pattern LINE = Pattern.compile("\\{" + FIELD.pattern() + "(?:," + FIELD.pattern() + ")*}");

    private JsonLine() {
    }

    /** The fields; strings without quotes, other values as they are written. */
    static Map<String, String> fields(String line) {
        if (!LINE.matcher(line).matches()) {
            throw new AssertionError("no line of JSON: " + line);
        }
        Map<String, String> fields = new LinkedHashMap<>();
        for (Matcher field = FIELD.matcher(line); field.find();) {
            fields.put(field.group(1), field.group(2).replace("\"", ""));
        }
        return fields;
    }
}
