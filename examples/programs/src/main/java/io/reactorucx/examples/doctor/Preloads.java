package io.reactorucx.examples.doctor;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Checks for libraries that the environment preloads. */
record Preloads(Map<String, String> environment) implements Check {

    @Override
    public String name() {
        return "preloads";
    }

    @Override
    public List<Finding> findings() {
        List<String> libraries = Arrays.stream(environment.getOrDefault("LD_PRELOAD", "").split("[ :]+"))
                .filter(path -> !path.isEmpty()).toList();
        if (libraries.isEmpty()) {
            return List.of(Finding.ok(name(), "LD_PRELOAD is not set", "No library is loaded before the C library"));
        }
        return libraries.stream().map(this::judge).toList();
    }

    private Finding judge(String library) {
        if (library.contains("libuc")) {
            return Finding.warning(name(), "LD_PRELOAD holds " + library,
                    "UCX is there before this project can prepare its environment: see the check loaded-before",
                    "unset LD_PRELOAD");
        }
        if (library.contains("libjsig")) {
            return Finding.note(name(), "LD_PRELOAD holds " + library,
                    "Chains signal handlers; this project works without it", "");
        }
        return Finding.note(name(), "LD_PRELOAD holds " + library,
                "It may replace malloc or mmap; should memory errors appear, try without it", "unset LD_PRELOAD");
    }
}
