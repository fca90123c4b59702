package io.reactorucx.core.internal;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The limit of memory that this process may lock, which the kernel counts for RDMA devices. */
public final class LockedMemoryLimit {

    private static final Path PROCESS = Path.of("/proc/self");
    private static final String LIMIT = "Max locked memory";
    private static final String CAPABILITIES = "CapEff:";
    /** A process with this capability has no such limit. */
    private static final int CAP_IPC_LOCK = 14;
    private static final int HEXADECIMAL = 16;
    private static final int KIB = 1024;

    private LockedMemoryLimit() {
    }

    /** Returns an explanation with the remedy if there is a limit for this process, else null. */
    public static @Nullable String explanation() {
        return explanation(PROCESS);
    }

    /** Returns the explanation for a process with a folder in {@code /proc}. */
    static @Nullable String explanation(Path process) {
        try {
            String limit = value(process.resolve("limits"), LIMIT).orElse("unlimited");
            long capabilities = Long.parseUnsignedLong(value(process.resolve("status"), CAPABILITIES).orElse("0"),
                    HEXADECIMAL);
            if (limit.equals("unlimited") || (capabilities >>> CAP_IPC_LOCK & 1) != 0) {
                return null;
            }
            return "an RDMA device locks the queues, buffers and registered memory that it uses, and this process may"
                    + " lock " + Long.parseLong(limit) / KIB + " KiB, which is likely too little: raise the limit"
                    + " (ulimit -l unlimited; LimitMEMLOCK=infinity in a systemd unit; --ulimit memlock=-1 for docker"
                    + " run; memlock in /etc/security/limits.conf)";
        } catch (IOException | NumberFormatException e) {
            return null;
        }
    }

    /** Returns the first word behind a name at the start of a line. */
    private static Optional<String> value(Path file, String name) throws IOException {
        return Files.readAllLines(file, StandardCharsets.UTF_8).stream().filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()).strip().split("\\s+")[0]).findFirst();
    }
}
