package io.reactorucx.examples.doctor;

import io.reactorucx.examples.doctor.facts.Limits;
import java.nio.file.Path;
import java.util.List;

/** Checks the limit of open files and sockets. */
record OpenFiles(Path limits) implements Check {

    private static final long FEW = 1024;
    private static final long ENOUGH = 4096;
    private static final String REMEDY =
            "ulimit -n 65536; LimitNOFILE=65536 in a systemd unit, --ulimit nofile=65536 for docker run";

    @Override
    public String name() {
        return "open-files";
    }

    @Override
    public List<Finding> findings() {
        long limit = Limits.read(limits).soft("Max open files");
        String measured = "RLIMIT_NOFILE is " + (limit == Long.MAX_VALUE ? "unlimited" : Long.toString(limit));
        if (limit >= ENOUGH) {
            return List.of(Finding.ok(name(), measured, "Enough for thousands of connections"));
        }
        String meaning =
                "A connection takes several: one for each lane over tcp, one for each segment of shared memory";
        return List.of(limit <= FEW ? Finding.warning(name(), measured, meaning, REMEDY)
                : Finding.note(name(), measured, meaning, REMEDY));
    }
}
