package io.reactorucx.examples.doctor;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;

/** Checks whether UCX handles a signal that the JVM needs. */
record SignalHandlers(IntFunction<Optional<Path>> handlerOf, Map<String, String> environment) implements Check {

    private static final List<String> VARIABLES = List.of("UCX_HANDLE_ERRORS", "UCX_ERROR_SIGNALS", "UCX_DEBUG_SIGNO");
    private static final Map<String, Integer> SIGNALS = new LinkedHashMap<>();

    static {
        SIGNALS.put("SIGHUP", 1);
        SIGNALS.put("SIGILL", 4);
        SIGNALS.put("SIGBUS", 7);
        SIGNALS.put("SIGFPE", 8);
        SIGNALS.put("SIGSEGV", 11);
    }

    @Override
    public String name() {
        return "signal-handlers";
    }

    @Override
    public List<Finding> findings() {
        List<String> taken = SIGNALS.entrySet().stream().filter(signal -> handlerOf.apply(signal.getValue())
                .filter(SignalHandlers::isUcx).isPresent()).map(Map.Entry::getKey).toList();
        List<Finding> findings = new ArrayList<>();
        findings.add(taken.isEmpty() ? Finding.ok(name(), "UCX handles none of " + String.join(", ", SIGNALS.keySet()),
                "The JVM's null checks and safepoints work") : Finding.error(name(),
                "UCX handles " + String.join(", ", taken), "A null check of compiled code ends the process",
                "Start the process with UCX_ERROR_SIGNALS= UCX_DEBUG_SIGNO= UCX_HANDLE_ERRORS=none"));
        VARIABLES.stream().filter(environment::containsKey).filter(variable ->
                !isHarmless(environment.getOrDefault(variable, ""))).forEach(variable ->
                findings.add(Finding.note(name(), variable + "=" + environment.get(variable),
                "This project overrides it: UCX must not handle signals in a JVM", "unset " + variable)));
        return findings;
    }

    private static boolean isHarmless(String value) {
        return value.isEmpty() || value.equals("none");
    }

    private static boolean isUcx(Path library) {
        String file = library.getFileName().toString();
        return file.startsWith("libucs") || file.startsWith("libucm") || file.startsWith("libuct")
                || file.startsWith("libucp");
    }
}
