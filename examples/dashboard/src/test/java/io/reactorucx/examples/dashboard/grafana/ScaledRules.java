package io.reactorucx.examples.dashboard.grafana;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.Yaml;

/**
 * The project's rules with shorter times: a test cannot wait for ten minutes. Limits of values stay; what counts events
 * of some minutes counts them of as many shorter ones.
 *
 * @param text of the file
 */
record ScaledRules(String text) {

    private static final Pattern MINUTES = Pattern.compile("(\\[|\\bfor: )(\\d+)m\\b");

    static ScaledRules of(Path rules, int millisForAMinute) throws IOException {
        Matcher matcher = MINUTES.matcher(Files.readString(rules));
        return new ScaledRules(matcher.replaceAll(match -> match.group(1) + Long.parseLong(match.group(2))
                * millisForAMinute + "ms"));
    }

    Path writeTo(Path folder) throws IOException {
        return Files.writeString(folder.resolve("rules.yml"), text);
    }

    private List<Map<String, ?>> rules() {
        Map<String, List<Map<String, List<Map<String, ?>>>>> file = new Yaml().load(text);
        return file.get("groups").stream().flatMap(group -> group.get("rules").stream()).toList();
    }

    List<String> alerts() {
        return rules().stream().filter(rule -> rule.containsKey("alert")).map(rule -> (String) rule.get("alert"))
                .toList();
    }

    /** {@return the series that the rules name, records among them} */
    List<String> series() {
        return rules().stream().flatMap(rule -> PromQl.series((String) rule.get("expr")).stream()).distinct().toList();
    }
}
