package io.reactorucx.examples.doctor;

import io.reactorucx.core.setting.UcxVariables;
import java.util.List;
import java.util.Map;

/** Checks for variables that look like UCX's but are unknown to it: UCX ignores them silently. */
record UnknownVariables(Map<String, String> environment) implements Check {

    @Override
    public String name() {
        return "unknown-variables";
    }

    @Override
    public List<Finding> findings() {
        List<String> set = environment.keySet().stream().filter(variable -> variable.startsWith(UcxVariables.PREFIX))
                .sorted().toList();
        List<Finding> unknown = set.stream().filter(variable -> !UcxVariables.isKnown(variable))
                .map(variable -> Finding.warning(name(), variable + "=" + environment.get(variable),
                "UCX knows no such variable and ignores it", "unset " + variable + ", or use the nearest one, "
                + UcxVariables.nearest(variable))).toList();
        return unknown.isEmpty() ? List.of(Finding.ok(name(), set.isEmpty() ? "none is set" : String.join(", ", set),
                "UCX reads what is set")) : unknown;
    }
}
