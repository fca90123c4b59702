package io.reactorucx.core.setting;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A list of transports as UCX reads it from its setting TLS: names or aliases with commas between them, with {@code ^}
 * as the first character those that are not used. UCX tells large letters from small ones, and takes a blank for a part
 * of the name: {@code ^posix, tcp} leaves tcp in use. A name may have a backslash before it, which is then no alias,
 * and {@code :aux} behind it: that transport only helps others to connect, for which it is opened and listens all the
 * same.
 *
 * @param excluding whether the names are those that are not used
 * @param names the names without {@code :aux}, which may carry data, or do not when the list excludes; a backslash is
 *     left out
 * @param helpers the names with {@code :aux}, without it and without a backslash
 */
public record UcxTransportList(boolean excluding, List<String> names, List<String> helpers) {

    private static final String AUXILIARY = ":aux";
    private static final String ALL = "all";

    public UcxTransportList {
        names = copy(names, "names");
        helpers = copy(helpers, "helpers");
    }

    private static List<String> copy(List<String> values, String name) {
        Objects.requireNonNull(values, name).forEach(value -> Objects.requireNonNull(value, name + ": each"));
        return List.copyOf(values);
    }

    /**
     * Reads a list.
     *
     * @param setting as TLS has it
     * @return the list
     */
    public static UcxTransportList of(String setting) {
        boolean excluding = Objects.requireNonNull(setting, "setting").startsWith("^");
        List<String> names = new ArrayList<>();
        List<String> helpers = new ArrayList<>();
        for (String each : setting.substring(excluding ? 1 : 0).split(",")) {
            String name = each.startsWith("\\") ? each.substring(1) : each;
            if (name.endsWith(AUXILIARY)) {
                helpers.add(name.substring(0, name.length() - AUXILIARY.length()));
            } else if (!name.isEmpty()) {
                names.add(name);
            }
        }
        return new UcxTransportList(excluding, names, helpers);
    }

    /**
     * Returns whether UCX may open a transport of its own name, be it to help others. A list that excludes the helper
     * of this name may leave it open: UCX 1.18 does, 1.13 does not.
     *
     * @param transport a name that no alias covers, such as {@code tcp}
     * @return whether it may
     */
    public boolean allows(String transport) {
        return carries(transport) || !excluding && helpers.contains(transport);
    }

    /**
     * Returns whether a transport of its own name may carry data.
     *
     * @param transport a name that no alias covers, such as {@code tcp}
     * @return whether it may
     */
    public boolean carries(String transport) {
        return excluding ? !names.contains(transport) : isAll() || names.contains(transport);
    }

    /** {@return whether this list names all transports, for which UCX takes {@code all} as the first name alone} */
    public boolean isAll() {
        return !excluding && !names.isEmpty() && names.getFirst().equals(ALL);
    }
}
