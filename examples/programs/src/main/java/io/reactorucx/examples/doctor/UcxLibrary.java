package io.reactorucx.examples.doctor;

import io.reactorucx.core.UcxVersion;
import java.util.List;
import java.util.Optional;

/** Checks whether UCX can be loaded and is new enough. */
record UcxLibrary(Optional<UcxVersion> version, Optional<String> problem) implements Check {

    @Override
    public String name() {
        return "ucx-library";
    }

    @Override
    public List<Finding> findings() {
        if (version.isPresent()) {
            return List.of(Finding.ok(name(), "UCX " + version.get(), "At least " + UcxVersion.MINIMUM
                    + ", the oldest that works"));
        }
        String all = problem.orElse("UCX cannot be used");
        // UcxUnavailableException joins problem and remedy in its message.
        int end = all.lastIndexOf(". ");
        return List.of(Finding.error(name(), end < 0 ? all : all.substring(0, end), "Nothing of this project can run",
                end < 0 ? "" : all.substring(end + 2)));
    }
}
