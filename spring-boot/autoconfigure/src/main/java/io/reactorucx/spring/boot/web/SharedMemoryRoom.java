package io.reactorucx.spring.boot.web;

import java.io.File;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Whether all loops find room in the shared memory: each takes some with its first channel, long after the start. */
final class SharedMemoryRoom {

    private static final File FOLDER = new File("/dev/shm");
    /** The shared memory that UCX takes for a worker, rounded up. */
    private static final long BYTES_OF_A_LOOP = 4_400_000;
    private static final Set<String> TRANSPORTS = Set.of("all", "sm", "shm", "mm", "posix");

    private SharedMemoryRoom() {
    }

    /** Returns what to warn of, null if there is room. */
    static @Nullable String shortage(int loops, List<String> transports) {
        return FOLDER.isDirectory() ? shortage(loops, transports, FOLDER.getUsableSpace()) : null;
    }

    static @Nullable String shortage(int loops, List<String> transports, long room) {
        long needed = loops * BYTES_OF_A_LOOP;
        return room >= needed || !usesSharedMemory(transports) ? null
                : loops + " loops take up to " + needed + " bytes of shared memory, and " + FOLDER + " has room for "
                        + room + ": loops that find none refuse their clients. Give it more (docker run --shm-size=1g),"
                        + " or set reactor.ucx.netty.loops to fewer";
    }

    private static boolean usesSharedMemory(List<String> transports) {
        if (transports.isEmpty()) {
            return true;
        }
        boolean excluded = transports.getFirst().startsWith("^");
        boolean named = transports.stream().map(name -> name.startsWith("^") ? name.substring(1) : name)
                .anyMatch(TRANSPORTS::contains);
        return named != excluded;
    }
}
