package io.reactorucx.examples.doctor;

import io.reactorucx.examples.doctor.facts.ByteSize;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;

/** Checks the free space for shared memory. */
record SharedMemoryRoom(Path directory, Function<Path, Room> rooms) implements Check {

    /** First size of the receive pool of a worker. With less space UCX fails, or the first access kills the process. */
    private static final long LEAST_BYTES = 8L << 20;
    /** The default size in a container of docker. */
    private static final long LITTLE_BYTES = 64L << 20;
    private static final String REMEDY =
            "mount -o remount,size=1g /dev/shm; --shm-size=1g for docker run; an emptyDir of medium Memory on /dev/shm"
            + " for Kubernetes";

    /**
     * The space of a file system.
     *
     * @param sizeBytes its size
     * @param freeBytes its free space
     */
    record Room(long sizeBytes, long freeBytes) {
    }

    static Room roomOf(Path directory) {
        // FileStore would need a mount point, which a chroot may lack.
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
