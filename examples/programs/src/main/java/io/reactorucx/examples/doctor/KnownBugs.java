package io.reactorucx.examples.doctor;

import io.reactorucx.core.UcxVersion;
import java.util.List;

/** Checks for bugs of the loaded version of UCX that can affect this project. */
record KnownBugs(UcxVersion version) implements Check {

    private static final List<Bug> BUGS = List.of(
            new Bug(new UcxVersion(1, 13, 0), new UcxVersion(1, 19, 0), Severity.NOTE,
                    "A sender over shared memory that idles while others send more than 2^31 messages may overwrite"
                            + " messages (openucx/ucx#10477)", "Upgrade to UCX 1.20 or newer"),
            new Bug(new UcxVersion(1, 19, 0), new UcxVersion(1, 20, 0), Severity.WARNING,
                    "Connections over shared memory may hang (openucx/ucx#10761)",
                    "Upgrade to UCX 1.20 or newer, or leave shared memory out: UCX_TLS=^posix,sysv,xpmem"),
            new Bug(new UcxVersion(1, 14, 0), new UcxVersion(1, 15, 0), Severity.WARNING,
                    "Where a container forbids process_vm_readv, a transfer over cma ends the process"
                            + " (openucx/ucx#8958)",
                    "Upgrade to UCX 1.15 or newer, or set UCX_TLS=^cma"),
            new Bug(new UcxVersion(1, 13, 0), new UcxVersion(1, 14, 0), Severity.NOTE,
                    "Rendezvous active messages leak descriptors slowly (NEWS of 1.14)",
                    "Upgrade to UCX 1.14 or newer"));

    /** A bug of the versions from {@code first}, inclusive, to {@code fixed}, exclusive. */
    private record Bug(UcxVersion first, UcxVersion fixed, Severity severity, String meaning, String remedy) {

        boolean affects(UcxVersion version) {
            return version.compareTo(first) >= 0 && version.compareTo(fixed) < 0;
        }
    }

    @Override
    public String name() {
        return "known-bugs";
    }

    @Override
    public List<Finding> findings() {
        List<Finding> found = BUGS.stream().filter(bug -> bug.affects(version))
                .map(bug -> new Finding(name(), bug.severity(), "UCX " + version, bug.meaning(), bug.remedy()))
                .toList();
        return found.isEmpty()
                ? List.of(Finding.ok(name(), "UCX " + version, "No bug on this project's list is in this version"))
                : found;
    }
}
