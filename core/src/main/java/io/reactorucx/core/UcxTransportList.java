package io.reactorucx.core;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * A list of transports as UCX's setting TLS has it: names or aliases, with {@code ^} before the first one those that
 * are not used. UCX does not tell large letters from small ones. A name may have a backslash before it, which is then
 * no alias, and {@code :aux} behind it: that transport only helps others to connect.
 *
 * @param excluding whether the names are those that are not used
 * @param names the names in small letters, without backslash and {@code :aux}
 */
public record UcxTransportList(boolean excluding, List<String> names) {

    private static final String AUXILIARY = ":aux";

    public UcxTransportList {
        Objects.requireNonNull(names, "names").forEach(name -> Objects.requireNonNull(name, "names: each"));
        names = List.copyOf(names);
    }

    /**
     * Reads a list.
     *
     * @param setting as TLS has it
     * @return the list
     */
    public static UcxTransportList of(String setting) {
        String trimmed = Objects.requireNonNull(setting, "setting").strip();
        boolean excluding = trimmed.startsWith("^");
        return new UcxTransportList(excluding, Stream.of(trimmed.substring(excluding ? 1 : 0).split(","))
                .map(name -> name.strip().toLowerCase(Locale.ROOT))
                // One that may not help others to connect may still be used.
                .filter(name -> !name.isEmpty() && !(excluding && name.endsWith(AUXILIARY)))
                .map(name -> name.startsWith("\\") ? name.substring(1) : name)
                .map(name -> name.endsWith(AUXILIARY) ? name.substring(0, name.length() - AUXILIARY.length()) : name)
                .toList());
    }

    /**
     * Returns whether UCX may use a transport of its own name, be it to help others.
     *
     * @param transport a name that no alias covers, such as {@code tcp}
     * @return whether it may
     */
    public boolean allows(String transport) {
        return excluding ? !names.contains(transport) : names.contains(transport) || names.contains("all");
    }
}
