package io.reactorucx.uct.internal;

import io.reactorucx.core.Ucx;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.core.ffi.UcpCompat;
import io.reactorucx.core.ffi.UctCompat;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.NativeText;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The names of a component's settings. UCX reports them only in what it prints about all components, as names of
 * environment variables. Which part of a variable's name is a setting of this component is found by asking UCX for its
 * value.
 */
public final class SettingNames {

    private static final String FUNCTION = "ucs_config_parser_print_all_opts";
    private static final String PREFIX = "UCX_";
    private static final Pattern VARIABLE = Pattern.compile(PREFIX + "[A-Z0-9_]+");

    private SettingNames() {
    }

    /**
     * Settings with their values. {@code read} returns null for a name that is none; {@code exists} decides where
     * {@code read} also accepts the beginning of a name.
     */
    public static SortedMap<String, String> values(Function<String, @Nullable String> read, Predicate<String> exists) {
        if (!UcpCompat.has(FUNCTION)) {
            throw new UcxUnsupportedException(FUNCTION, "UCX " + Ucx.version()
                    + " has no such function, so it cannot list settings");
        }
        TreeMap<String, String> values = new TreeMap<>();
        for (String name : Printed.CANDIDATES) {
            String value = read.apply(name);
            if (value != null) {
                values.put(name, value);
            }
        }
        // UCX also takes the beginning of a name.
        values.keySet().removeIf(name -> isBeginning(values, name) && !exists.test(name));
        return values;
    }

    /** Names with the prefixes of components, for a name without; only the right one exists for a component. */
    public static List<String> endingWith(String name) {
        if (!UcpCompat.has(FUNCTION)) {
            return List.of();
        }
        return Printed.CANDIDATES.stream().filter(candidate -> candidate.endsWith("_" + name)).toList();
    }

    /** The names do not change once the modules of UCX are loaded, which they are as soon as there is a component. */
    private static final class Printed {
        static final Set<String> CANDIDATES = candidates(printed());
    }

    private static boolean isBeginning(TreeMap<String, String> values, String name) {
        Map.Entry<String, String> next = values.higherEntry(name);
        return next != null && Objects.requireNonNull(next.getKey()).startsWith(name);
    }

    private static String printed() {
        int flags = ucx_h.UCS_CONFIG_PRINT_CONFIG() | ucx_h.UCS_CONFIG_PRINT_DOC() | ucx_h.UCS_CONFIG_PRINT_HIDDEN();
        try (Arena arena = Arena.ofConfined()) {
            return NativeText.print(
                    stream -> UctCompat.ucs_config_parser_print_all_opts(stream, arena.allocateFrom(PREFIX), flags,
                    UctCompat.ucs_config_global_list()));
        }
    }

    /** Returns the rest of each variable's name behind each of its underscores. */
    public static Set<String> candidates(String printed) {
        Set<String> candidates = new TreeSet<>();
        VARIABLE.matcher(printed).results().map(result -> result.group()).forEach(variable -> {
            for (int i = variable.indexOf('_'); i >= 0 && i < variable.length() - 1; i = variable.indexOf('_', i + 1)) {
                candidates.add(variable.substring(i + 1));
            }
        });
        return candidates;
    }
}
