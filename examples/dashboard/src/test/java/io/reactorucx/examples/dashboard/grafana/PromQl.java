package io.reactorucx.examples.dashboard.grafana;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which series an expression in PromQL names. */
public final class PromQl {

    private static final Pattern TEXT = Pattern.compile("\"[^\"]*\"");
    private static final Pattern MATCHERS_AND_RANGES = Pattern.compile("\\{[^}]*}|\\[[^]]*]");
    private static final Pattern GROUPING = Pattern.compile(
            "\\b(by|without|on|ignoring|group_left|group_right)\\s*\\([^)]*\\)");
    private static final Pattern NAME = Pattern.compile("(?<![\\w:.])([a-zA-Z_:][\\w:]*)\\b(?!\\s*\\()");
    private static final Set<String> WORDS = Set.of("and", "or", "unless", "sum", "max", "min", "avg", "count", "bool",
            "offset", "by", "without", "on", "ignoring", "group_left", "group_right");

    private PromQl() {
    }

    /** {@return the names of the series} */
    public static Set<String> series(String expression) {
        String bare = TEXT.matcher(expression).replaceAll("");
        bare = MATCHERS_AND_RANGES.matcher(bare).replaceAll("");
        bare = GROUPING.matcher(bare).replaceAll(" ");
        Set<String> names = new TreeSet<>();
        Matcher name = NAME.matcher(bare);
        while (name.find()) {
            if (!WORDS.contains(name.group(1))) {
                names.add(name.group(1));
            }
        }
        return names;
    }
}
