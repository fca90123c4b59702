package io.reactorucx.examples.doctor;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Checks whether UCX patches the memory functions of the C library. */
record MemoryHooks(Supplier<Optional<Boolean>> mmapIsPatched, Map<String, String> environment) implements Check {

    private static final String VARIABLE = "UCX_MEM_MMAP_HOOK_MODE";

    @Override
    public String name() {
        return "memory-hooks";
    }

    @Override
    public List<Finding> findings() {
        String setting = Optional.ofNullable(environment.get(VARIABLE)).map(value -> ", " + VARIABLE + "=" + value)
                .orElse("");
        boolean wanted = !environment.getOrDefault(VARIABLE, "none").equals("none");
        if (mmapIsPatched.get().orElse(wanted)) {
            return List.of(Finding.warning(name(), "mmap is patched" + setting,
                    "Code is changed that other threads may be running: UCX's hooks do so, before 1.16 with occasional"
                    + " crashes (its NEWS), and tcp and shared memory do not need them",
                    (wanted ? "unset " + VARIABLE : "Load no other user of UCX first")
                    + "; see the checks loaded-before and preloads"));
        }
        return List.of(Finding.ok(name(), "off",
                "Code of the C library is as it was; registrations are kept by this project's own pools"));
    }
}
