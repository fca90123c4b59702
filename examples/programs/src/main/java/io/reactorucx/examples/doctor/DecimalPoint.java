package io.reactorucx.examples.doctor;

import java.text.DecimalFormatSymbols;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** Checks whether the locale of the process has a decimal comma, which UCX then expects in its own defaults as well. */
record DecimalPoint(Map<String, String> environment) implements Check {

    @Override
    public String name() {
        return "decimal-point";
    }

    @Override
    public List<Finding> findings() {
        String locale = Stream.of("LC_ALL", "LC_NUMERIC", "LANG").map(variable ->
                environment.getOrDefault(variable, "")).filter(value -> !value.isEmpty()).findFirst().orElse("C");
        Locale parsed = Locale.forLanguageTag(locale.replaceAll("[.@].*", "").replace('_', '-'));
        if (DecimalFormatSymbols.getInstance(parsed).getDecimalSeparator() == '.') {
            return List.of(Finding.ok(name(), "locale " + locale, "Numbers have a decimal point, as UCX needs it"));
        }
        return List.of(Finding.note(name(), "locale " + locale + " has a decimal comma",
                "UCX cannot read its own defaults with it. This project gives its calls a point; other users of UCX in"
                + " the process do not", "export LC_NUMERIC=C"));
    }
}
