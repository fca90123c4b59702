package io.reactorucx.examples.doctor;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;

/** Whether there is room for shared memory. */
record SharedMemoryRoom(Path directory, Function<Path, Room> rooms) implements Check {

    /**
     * What the receive pool of one worker takes at first; without it UCX fails, or the first touch kills the process.
     */
    private static final long LEAST_BYTES = 8L << 20;
    /** What docker gives a container. */
    private static final long LITTLE_BYTES = 64L << 20;
    private static final String REMEDY =
            "mount -o remount,size=1g /dev/shm; --shm-size=1g for docker run; an emptyDir of medium Memory on /dev/shm"
            + " for Kubernetes";

    /**
     * A file system's room.
     *
     * @param sizeBytes all of it
     * @param freeBytes what is left
     */
    record Room(long sizeBytes, long freeBytes) {
    }

    static Room roomOf(Path directory) {
        // Not by its FileStore, which looks for a mount point: in a root of its own there may be none.
        File file = directory.toFile();
        long size = file.getTotalSpace();
        if (size == 0) {
            throw new IllegalStateException(directory + " tells no size");
        }
        return new Room(size, file.getUsableSpace());
    }

    @Override
    public String name() {
        return "shared-memory-room";
    }

    @Override
    public List<Finding> findings() {
        if (!Files.isDirectory(directory)) {
            return List.of(Finding.warning(name(), "there is no " + directory, "UCX has no posix shared memory",
                    REMEDY));
        }
        Room room = rooms.apply(directory);
        String measured = directory + " has " + new ByteSize(room.sizeBytes()) + ", " + new ByteSize(room.freeBytes())
                + " of them free";
        if (room.freeBytes() < LEAST_BYTES) {
            return List.of(Finding.error(name(), measured,
                    "A worker needs 4 MiB and more: UCX fails, or the process is killed by SIGBUS", REMEDY));
        }
        if (room.freeBytes() <= LITTLE_BYTES) {
            return List.of(Finding.warning(name(), measured,
                    "Each worker takes 4 MiB and grows; memory that UCX allocates is there, too", REMEDY));
        }
        return List.of(Finding.ok(name(), measured, "Room for many workers"));
    }
}
