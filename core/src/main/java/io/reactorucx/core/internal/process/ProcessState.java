package io.reactorucx.core.internal.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/**
 * The state of processes of this host, as far as this process can see it in its PID namespace.
 *
 * <p>Thread: any.
 */
public final class ProcessState {

    /** In place of the time of a start: the process has ended, or cannot be seen. */
    public static final long NOT_SEEN = -1;

    private static final Path PROC = Path.of("/proc");
    private static final int SELF = (int) ProcessHandle.current().pid();
    /** Where the state and the time of the start are, behind the name in parentheses. */
    private static final int STATE = 0;
    private static final int START = 19;

    private ProcessState() {
    }

    /** Returns a number of this process's PID namespace that other hosts do not have, 0 when it cannot be seen. */
    public static long namespace() {
        try {
            long number = namespaceNumber();
            // The first namespace of each host has the same number.
            UUID boot = UUID.fromString(Files.readString(PROC.resolve("sys/kernel/random/boot_id")).strip());
            return number == 0 ? 0 : boot.getMostSignificantBits() ^ boot.getLeastSignificantBits() ^ number;
        } catch (IOException | RuntimeException e) {
            return 0;
        }
    }

    /** Returns the kernel's number of this process's PID namespace, 0 when it cannot be seen. */
    public static long namespaceNumber() {
        try {
            String name = Files.readSymbolicLink(PROC.resolve("self/ns/pid")).toString();
            return Long.parseLong(name, name.indexOf('[') + 1, name.indexOf(']'), 10);
        } catch (IOException | RuntimeException e) {
            return 0;
        }
    }

    /** Returns the id of this process. */
    public static int self() {
        return SELF;
    }

    /** Returns the id of the user to whom files that this process makes belong. */
    public static int user() throws IOException {
        // Real, effective, saved and that for files.
        String line = Files.readAllLines(PROC.resolve("self/status")).stream()
                .filter(each -> each.startsWith("Uid:")).findFirst().orElseThrow(() -> new IOException("no Uid"));
        return Integer.parseInt(line.strip().split("\\s+")[4]);
    }

    /** Returns whether a process has ended: there is none with the id, or its parent has not noticed its end yet. */
    public static boolean isDead(int id) {
        return startedAt(id) == NOT_SEEN;
    }

    /**
     * Returns when a process was started, in clock ticks since the start of the host, which tells it from a later one
     * with the same id; {@link #NOT_SEEN} when it has ended.
     */
    public static long startedAt(int id) {
        try {
            String stat = Files.readString(folder(id).resolve("stat"), StandardCharsets.ISO_8859_1);
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return fields[STATE].equals("Z") || fields[STATE].equals("X") ? NOT_SEEN : Long.parseLong(fields[START]);
        } catch (IOException | RuntimeException e) {
            return NOT_SEEN;
        }
    }

    private static Path folder(int id) {
        return PROC.resolve(String.valueOf(id));
    }
}
