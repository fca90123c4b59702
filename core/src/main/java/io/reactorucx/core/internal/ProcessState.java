package io.reactorucx.core.internal;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Whether processes of this host, in this PID namespace, have died.
 *
 * <p>Thread: any.
 */
public final class ProcessState {

    private static final Path PROC = Path.of("/proc");
    private static final int SELF = (int) ProcessHandle.current().pid();

    private ProcessState() {
    }

    /** Returns the number of this process's PID namespace, 0 when it cannot be seen. */
    public static long namespace() {
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

    /** Returns whether a process has ended: there is none with the id, or its parent has not noticed its end yet. */
    public static boolean isDead(int id) {
        try {
            String stat = Files.readString(PROC.resolve(id + "/stat"), StandardCharsets.ISO_8859_1);
            char state = stat.charAt(stat.lastIndexOf(')') + 2);
            return state == 'Z' || state == 'X';
        } catch (IOException e) {
            return !Files.exists(PROC.resolve(String.valueOf(id)));
        }
    }
}
