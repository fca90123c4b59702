package io.reactorucx.core.internal.segment;

import io.reactorucx.core.internal.process.ProcessState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * Shared memory that the address of a transport names, as the system shows it.
 *
 * @param name where it is
 * @param process the process that has made it, 0 when the system does not show that
 * @param bytes its size, negative when there is no such memory of UCX
 */
public record SharedSegment(String name, int process, long bytes) {

    private static final long DESCRIPTOR = 1L << 63;
    private static final long BY_NAME = 1L << 62;
    private static final long HAS_NAMESPACE = 1L << 60;
    private static final long NUMBER_MASK = (1L << 60) - 1;
    private static final int PROCESS_BITS = 30;
    private static final int PROCESS_MASK = (1 << PROCESS_BITS) - 1;
    private static final int CMA_HAS_NAMESPACE = 1 << 31;

    private static final Path FOLDER = Path.of("/dev/shm");
    private static final String PREFIX = "ucx_shm_posix_";
    private static final Path SYSTEM_V = Path.of("/proc/sysvipc/shm");
    private static final int ID = 1;
    private static final int SIZE = 3;
    private static final int PROCESS = 4;

    /** Returns whether UCX takes an address of posix for one of this PID namespace. */
    public static boolean isPosixReachable(ByteBuffer address, ByteBuffer own) {
        boolean named = (address.getLong(0) & HAS_NAMESPACE) != 0;
        return named ? isOwnNamespace(address, Long.BYTES) : (own.getLong(0) & HAS_NAMESPACE) == 0;
    }

    /** Returns whether UCX takes an address of cma for one of this PID namespace. */
    public static boolean isCmaReachable(ByteBuffer address, ByteBuffer own) {
        boolean named = (address.getInt(0) & CMA_HAS_NAMESPACE) != 0;
        return named ? isOwnNamespace(address, Integer.BYTES) : (own.getInt(0) & CMA_HAS_NAMESPACE) == 0;
    }

    private static boolean isOwnNamespace(ByteBuffer address, int at) {
        return address.remaining() < at + Long.BYTES || address.getLong(at) == ProcessState.namespaceNumber();
    }

    /** Returns what an address of cma names: all memory of a process. */
    public static SharedSegment cma(ByteBuffer address) {
        int process = address.getInt(0) & ~CMA_HAS_NAMESPACE;
        return new SharedSegment("process " + process, process, Long.MAX_VALUE);
    }

    /** Returns what an address of posix names: a descriptor of a process, or a file by its number. */
    public static SharedSegment posix(ByteBuffer address) {
        long id = address.getLong(0);
        long number = id & NUMBER_MASK;
        if ((id & DESCRIPTOR) != 0) {
            int process = (int) number & PROCESS_MASK;
            return posix(Path.of("/proc/" + process + "/fd/" + (number >>> PROCESS_BITS)), process);
        }
        Path file = FOLDER.resolve(PREFIX + Long.toHexString(number));
        return (id & BY_NAME) != 0 ? posix(file, 0) : new SharedSegment("files of another folder", 0, -1);
    }

    private static SharedSegment posix(Path file, int process) {
        try {
            // UCX removes the name of its file when others can open it by the descriptor.
            Path target = process == 0 ? file : Files.readSymbolicLink(file);
            boolean isOfUcx = target.getFileName() != null && target.getFileName().toString().startsWith(PREFIX);
            return new SharedSegment(file.toString(), process, isOfUcx ? Files.size(file) : -1);
        } catch (IOException e) {
            return new SharedSegment(file.toString(), process, -1);
        }
    }

    /** Returns what an address of sysv names: memory with an id, among all there is. */
    public static SharedSegment sysv(ByteBuffer address, Map<Long, SharedSegment> all) {
        long id = address.getLong(0);
        SharedSegment found = all.get(id);
        return found == null ? new SharedSegment("shmid " + id, 0, -1) : found;
    }

    /** Returns all shared memory of System V that there is now, by its id, with the process that has made it. */
    public static Map<Long, SharedSegment> systemV() {
        Map<Long, SharedSegment> all = new HashMap<>();
        try {
            for (String line : Files.readAllLines(SYSTEM_V)) {
                String[] columns = line.trim().split("\\s+");
                if (columns.length > PROCESS && Character.isDigit(columns[ID].charAt(0))) {
                    all.put(Long.parseLong(columns[ID]), new SharedSegment("shmid " + columns[ID],
                            Integer.parseInt(columns[PROCESS]), Long.parseLong(columns[SIZE])));
                }
            }
        } catch (IOException e) {
            return Map.of();
        }
        return all;
    }

    /** Returns whether this memory can be what the other is; where that one cannot be seen, nothing can be said. */
    public boolean isLike(SharedSegment own) {
        return own.bytes < 0 || bytes >= own.bytes;
    }
}
