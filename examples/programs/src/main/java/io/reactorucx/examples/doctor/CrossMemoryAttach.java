package io.reactorucx.examples.doctor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Checks whether the kernel lets processes read each other's memory, which the transport cma does for large messages.
 */
record CrossMemoryAttach(Path proc) implements Check {

    private static final int CAP_SYS_PTRACE = 19;
    private static final int HEXADECIMAL = 16;

    @Override
    public String name() {
        return "cross-memory-attach";
    }

    @Override
    public List<Finding> findings() {
        String scope = read("sys/kernel/yama/ptrace_scope", "absent");
        boolean capable = (Long.parseUnsignedLong(status("CapEff", "0"), HEXADECIMAL) >>> CAP_SYS_PTRACE & 1) != 0;
        boolean filtered = !status("Seccomp", "0").equals("0");
        String measured = "yama ptrace_scope " + scope + ", " + (capable ? "with" : "without") + " CAP_SYS_PTRACE, "
                + (filtered ? "with" : "no") + " seccomp filter";
        boolean allowed = switch (scope) {
            case "absent", "0", "1" -> true;
            case "2" -> capable;
            default -> false;
        };
        if (!allowed) {
            return List.of(Finding.note(name(), measured,
                    "UCX leaves cma out: large messages within the host take other ways",
                    "sysctl kernel.yama.ptrace_scope=1, or give the process CAP_SYS_PTRACE"));
        }
        if (filtered && !capable) {
            return List.of(Finding.note(name(), measured,
                    "The filter may forbid process_vm_readv: UCX then leaves cma out, or fails in its first use",
                    "docker run --cap-add SYS_PTRACE, or UCX_TLS=^cma"));
        }
        return List.of(Finding.ok(name(), measured, "cma can be used where peer failure detection is off"));
    }

    private String status(String name, String otherwise) {
        return read("self/status", "").lines().filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip()).findFirst().orElse(otherwise);
    }

    private String read(String file, String otherwise) {
        Path path = proc.resolve(file);
        try {
            return Files.exists(path) ? Files.readString(path).strip() : otherwise;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
