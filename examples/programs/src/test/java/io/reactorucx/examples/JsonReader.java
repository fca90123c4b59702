package io.reactorucx.examples;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads JSON and refuses everything that RFC 8259 does not allow, and repeated names of an object. */
final class JsonReader {

    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9]\\d*)(\\.\\d+)?([eE][-+]?\\d+)?");
    private static final Pattern TEXT =
            Pattern.compile("\"((?:[^\"\\\\\\x00-\\x1f]|\\\\([\"\\\\/bfnrt]|u[0-9a-fA-F]{4}))*+)\"");
    private static final Pattern ESCAPE = Pattern.compile("\\\\(u([0-9a-fA-F]{4})|.)");
    private static final Pattern SPACE = Pattern.compile("[ \\t\\n\\r]*");
    private static final String ESCAPED = "bfnrt";
    private static final String MEANT = "\b\f\n\r\t";

    private final String text;
    private int position;

    private JsonReader(String text) {
        this.text = text;
    }

    /** Maps, lists, strings, {@link BigDecimal}s, booleans; {@code null} is {@link Void}'s class. */
    static Object read(String text) {
        JsonReader reader = new JsonReader(text);
        Object value = reader.value();
        reader.skipSpace();
        if (reader.position != text.length()) {
            throw reader.wrong("the end");
        }
        return value;
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> readObject(String text) {
        return (Map<String, Object>) read(text);
    }

    private Object value() {
        skipSpace();
        if (take("{")) {
            return object();
        }
        if (take("[")) {
            return array();
        }
        if (text.startsWith("\"", position)) {
            return string();
        }
        for (Map.Entry<String, Object> literal : Map.<String, Object>of("true", true, "false", false, "null",
                Void.class).entrySet()) {
            if (take(literal.getKey())) {
                return literal.getValue();
            }
        }
        return new BigDecimal(match(NUMBER, "a value").group());
    }

    private Map<String, Object> object() {
        Map<String, Object> object = new LinkedHashMap<>();
        skipSpace();
        if (take("}")) {
            return object;
        }
        do {
            skipSpace();
            String name = string();
            skipSpace();
            if (!take(":")) {
                throw wrong(":");
            }
            if (object.put(name, value()) != null) {
                throw new IllegalArgumentException("the name " + name + " comes twice");
            }
            skipSpace();
        } while (take(","));
        if (!take("}")) {
            throw wrong("}");
        }
        return object;
    }

    private List<Object> array() {
        List<Object> array = new ArrayList<>();
        skipSpace();
        if (take("]")) {
            return array;
        }
        do {
            array.add(value());
            skipSpace();
        } while (take(","));
        if (!take("]")) {
            throw wrong("]");
        }
        return array;
    }

    private String string() {
        return ESCAPE.matcher(match(TEXT, "a string").group(1)).replaceAll(escape ->
                Matcher.quoteReplacement(meaning(escape.group(1))));
    }

    private static String meaning(String escape) {
        if (escape.length() > 1) {
            return Character.toString(Integer.parseInt(escape.substring(1), 16));
        }
        int index = ESCAPED.indexOf(escape);
        return index < 0 ? escape : MEANT.substring(index, index + 1);
    }

    private Matcher match(Pattern pattern, String expected) {
        Matcher matcher = pattern.matcher(text).region(position, text.length());
        if (!matcher.lookingAt()) {
            throw wrong(expected);
        }
        position = matcher.end();
        return matcher;
    }

    private boolean take(String token) {
        boolean there = text.startsWith(token, position);
        position += there ? token.length() : 0;
        return there;
    }

    private void skipSpace() {
        match(SPACE, "space");
    }

    private IllegalArgumentException wrong(String expected) {
        return new IllegalArgumentException("at " + position + " there is no " + expected + ": "
                + text.substring(position, Math.min(text.length(), position + 40)));
    }
}
