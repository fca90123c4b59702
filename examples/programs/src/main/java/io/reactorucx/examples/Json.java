package io.reactorucx.examples;

import java.util.Collection;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;

/**
 * Writes maps, collections, strings, numbers and booleans as JSON. A map or collection of plain values takes one line.
 */
final class Json {

    private final StringBuilder out = new StringBuilder();

    private Json() {
    }

    static String text(Object value) {
        Json json = new Json();
        json.write(value, "\n");
        return json.out.append('\n').toString();
    }

    private void write(Object value, String newLine) {
        switch (value) {
            case Map<?, ?> map -> {
                String inner = isFlat(map.values()) ? "" : newLine + "  ";
                out.append('{');
                for (Iterator<? extends Map.Entry<?, ?>> entries = map.entrySet().iterator(); entries.hasNext();) {
                    Map.Entry<?, ?> entry = entries.next();
                    out.append(inner);
                    quote(entry.getKey().toString());
                    out.append(": ");
                    write(entry.getValue(), inner);
                    out.append(!entries.hasNext() ? "" : inner.isEmpty() ? ", " : ",");
                }
                out.append(inner.isEmpty() ? "" : newLine).append('}');
            }
            case Collection<?> list -> {
                String inner = isFlat(list) ? "" : newLine + "  ";
                out.append('[');
                for (Iterator<?> values = list.iterator(); values.hasNext();) {
                    out.append(inner);
                    write(values.next(), inner);
                    out.append(!values.hasNext() ? "" : inner.isEmpty() ? ", " : ",");
                }
                out.append(inner.isEmpty() ? "" : newLine).append(']');
            }
            case Number number -> out.append(number);
            case Boolean truth -> out.append(truth);
            default -> quote(value.toString());
        }
    }

    private static boolean isFlat(Collection<?> values) {
        return values.stream().noneMatch(value -> value instanceof Map || value instanceof Collection);
    }

    private void quote(String text) {
        out.append('"');
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
