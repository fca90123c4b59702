package io.reactorucx.examples.doctor;

import io.reactorucx.examples.doctor.facts.MemoryMaps;
import java.util.List;

/** Checks whether another library loaded UCX before this project prepared its environment. */
record LoadedBefore(MemoryMaps before) implements Check {

    @Override
    public String name() {
        return "loaded-before";
    }

    @Override
    public List<Finding> findings() {
        return before.find("libucs.so").map(path -> Finding.warning(name(), path + " was there before",
                "UCX may have taken the JVM's signal handlers and patched memory functions: a null check of compiled"
                + " code could then end the process",
                "Load Reactor UCX first, or start the process with UCX_ERROR_SIGNALS= UCX_DEBUG_SIGNO="
                + " UCX_MEM_MMAP_HOOK_MODE=none")).map(List::of).orElseGet(() ->
                List.of(Finding.ok(name(), "no libucs before",
                "This project could set what UCX reads while it is loaded")));
    }
}
