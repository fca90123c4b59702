package io.reactorucx.core.internal.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The limit of memory that a process may lock, which the kernel counts for RDMA devices.
 *
 * @param process the folder of the process in {@code /proc}
 */
public record LockedMemoryLimit(Path process) {

    /** The limit of this process. */
    public static final LockedMemoryLimit OF_PROCESS = new LockedMemoryLimit(Path.of("/proc/self"));
    private static final String LIMIT = "Max locked memory";
    private static final String CAPABILITIES = "CapEff:";
    private static final String PINNED = "VmPin:";
    private static final String NONE = "unlimited";
    /** A process with this capability has no such limit. */
    private static final int CAP_IPC_LOCK = 14;
    private static final int HEXADECIMAL = 16;
    private static final int KIB = 1024;

    /** Returns an explanation with the remedy if there is a limit, else null. */
    public @Nullable String explanation() {
        return bytes() == Long.MAX_VALUE ? null
                : "an RDMA device locks the queues, buffers and registered memory that it uses, and this process may"
                + " lock " + bytes() / KIB + " KiB, which is likely too little: " + remedy();
    }

    /** {@return how to raise it} */
    public static String remedy() {
        return "raise the limit (ulimit -l unlimited; LimitMEMLOCK=infinity in a systemd unit; --ulimit memlock=-1 for"
                + " docker run; memlock in /etc/security/limits.conf)";
    }

    /** {@return the limit in bytes, {@link Long#MAX_VALUE} for none} */
    public long bytes() {
        try {
            String limit = value(process.resolve("limits"), LIMIT).orElse(NONE);
            long capabilities = Long.parseUnsignedLong(value(process.resolve("status"), CAPABILITIES).orElse("0"),
                    HEXADECIMAL);
            return limit.equals(NONE) || (capabilities >>> CAP_IPC_LOCK & 1) != 0 ? Long.MAX_VALUE
                    : Long.parseLong(limit);
        } catch (IOException | NumberFormatException e) {
            return Long.MAX_VALUE;
        }
    }

    /** {@return how many bytes RDMA devices have locked already} */
    public long pinnedBytes() {
        try {
            return KIB * Long.parseLong(value(process.resolve("status"), PINNED).orElse("0"));
        } catch (IOException | NumberFormatException e) {
            return 0;
        }
    }

    /** Returns the first word behind a name at the start of a line. */
    private static Optional<String> value(Path file, String name) throws IOException {
        return Files.readAllLines(file, StandardCharsets.UTF_8).stream().filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()).strip().split("\\s+")[0]).findFirst();
    }
}
