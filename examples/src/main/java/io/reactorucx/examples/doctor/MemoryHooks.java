package io.reactorucx.examples.doctor;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Whether UCX patches the memory functions of the C library. */
record MemoryHooks(Supplier<Optional<Boolean>> mmapIsPatched, Map<String, String> environment) implements Check {

    @Override
    public String name() {
        return "memory-hooks";
    }

    @Override
    public List<Finding> findings() {
        String events = environment.getOrDefault("UCX_MEM_EVENTS", "n");
        boolean wanted = events.matches("(?i)y|yes|on|1|try");
        boolean patched = mmapIsPatched.get().orElse(wanted);
        if (patched) {
            return List.of(Finding.warning(name(), "mmap is patched, UCX_MEM_EVENTS=" + events,
                    "Code is changed that other threads may be running: UCX's hooks do so, before 1.16 with occasional crashes (its NEWS), and"
                            + " tcp and shared memory do not need them", "unset UCX_MEM_EVENTS, and see the checks loaded-before and preloads"));
        }
        return List.of(Finding.ok(name(), "off", "Code of the C library is as it was; registrations are kept by this project's own pools"));
    }
}
