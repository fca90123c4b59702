package io.reactorucx.core.internal;

import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Rules for values of settings on which UCX ends the process instead of refusing them. */
public enum ConfigValues {
    /** UCX splits an entry at its colon and uses the part behind it unchecked, in a copy of 127 characters. */
    FRAGMENTS(Pattern.compile("RNDV_FRAG_(SIZE|ALLOC_COUNT)"),
            "entries type:number of at most 127 characters, with a number above 0", value -> entries(value)
            .allMatch(entry -> entry.length() < 128 && entry.matches("[^:]+:[1-9][0-9]{0,9}[kKmMgGbB]?[bB]?"))),
    /** UCX marks the entries that it has found in a mask of 64 bits. */
    DEVICES(Pattern.compile("(NET|SHM|SELF|ACC)_DEVICES"), "at most 64 entries", value -> entries(value).count() <= 64),
    /** The poll of a FIFO counts down from this number. UCX stops parsing at the first letter. */
    POLL(Pattern.compile(".*FIFO_MAX_POLL"), "a number above 0, auto or inf",
            value -> value.matches("(?i)[1-9][0-9]{0,9}|auto|inf"));

    private static final List<ConfigValues> ALL = List.of(values());

    private final Pattern keys;
    private final String rule;
    private final Predicate<String> holds;

    ConfigValues(Pattern keys, String rule, Predicate<String> holds) {
        this.keys = keys;
        this.rule = rule;
        this.holds = holds;
    }

    private static Stream<String> entries(String value) {
        return Stream.of(value.split(",")).filter(entry -> !entry.isEmpty());
    }

    /** Returns the value; throws for a value that would end the process. */
    public static String checked(String key, String value) {
        Objects.requireNonNull(value, key);
        for (ConfigValues values : ALL) {
            if (values.keys.matcher(key).matches() && !values.holds.test(value)) {
                throw new IllegalArgumentException("setting " + key + "=" + value + ": must be " + values.rule);
            }
        }
        return value;
    }
}
