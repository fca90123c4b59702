package io.reactorucx.core.internal;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The names of UCX's settings: {@code ucp_config_modify} accepts any name and silently ignores unknown ones. */
public final class ConfigKeys {

    private static final Set<String> CONFIG = read("ucx-config-keys.txt");
    private static final Set<String> ENVIRONMENT = read("ucx-environment-keys.txt");
    private static final String PREFIX = "UCX_";

    private ConfigKeys() {
    }

    private static Set<String> read(String resource) {
        try (InputStream in = Objects.requireNonNull(ConfigKeys.class.getResourceAsStream(resource), resource);
                BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII))) {
            return lines.lines().collect(Collectors.toCollection(TreeSet::new));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the name in UCX's form, without the prefix; throws for a name that UCX would ignore. */
    public static String checked(String key) {
        String upper = Objects.requireNonNull(key, "key").toUpperCase(Locale.ROOT);
        String name = upper.startsWith(PREFIX) ? upper.substring(PREFIX.length()) : upper;
        if (CONFIG.contains(name)) {
            return name;
        }
        if (ENVIRONMENT.contains(name)) {
            throw new IllegalArgumentException("setting " + key + ": UCX reads it once while it is loaded; set "
                    + PREFIX + name + " in the environment of the process instead");
        }
        throw new IllegalArgumentException("setting " + key + ": UCX knows no such key, the nearest one is "
                + nearest(name, CONFIG));
    }

    /** Returns whether UCX reads a variable of the environment with this name, which is without the prefix. */
    public static boolean isKnown(String name) {
        return CONFIG.contains(name) || ENVIRONMENT.contains(name);
    }

    public static String nearestOfAll(String name) {
        Set<String> all = new TreeSet<>(CONFIG);
        all.addAll(ENVIRONMENT);
        return nearest(name, all);
    }

    private static String nearest(String name, Set<String> candidates) {
        String best = "";
        int bestDistance = Integer.MAX_VALUE;
        for (String candidate : candidates) {
            int distance = distance(name, candidate);
            if (distance < bestDistance) {
                bestDistance = distance;
                best = candidate;
            }
        }
        return best;
    }

    /** Number of single-character edits between two names (Levenshtein). */
    private static int distance(String a, String b) {
        int[] previous = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] current = new int[b.length() + 1];
            current[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replace = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(replace, 1 + Math.min(previous[j], current[j - 1]));
            }
            previous = current;
        }
        return previous[b.length()];
    }
}
