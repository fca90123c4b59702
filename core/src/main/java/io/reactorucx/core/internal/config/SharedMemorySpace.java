package io.reactorucx.core.internal.config;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.internal.process.LockedMemoryLimit;
import io.reactorucx.core.internal.process.OpenFileLimit;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Checks the free space for memory that UCX allocates with posix: posix fills its file system with zeros before it
 * reports that there is too little, and until then no other process has space in {@code /dev/shm}.
 */
public final class SharedMemorySpace {

    private static final Path MEMINFO = Path.of("/proc/meminfo");
    private static final String AVAILABLE = "MemAvailable:";
    private static final int KIB = 1024;
    /** With more free space than this, a limit of locked memory is the likelier cause where there are RDMA devices. */
    private static final long ENOUGH_BYTES = 64L << 20;
    /** Entries of the setting {@code ALLOC_PRIO} that include posix. */
    private static final Set<String> POSIX = Set.of("md", "md:*", "md:posix");

    private SharedMemorySpace() {
    }

    /** Throws when posix would be asked for more than there is space. */
    public static void require(UcxSettings settings, Supplier<List<String>> transports, long bytes, String operation) {
        long room = room(directory(settings));
        if (bytes <= room) {
            return;
        }
        List<String> names = transports.get();
        if (names.stream().noneMatch(name -> name.startsWith("posix/"))) {
            return;
        }
        String order = settings.value("ALLOC_PRIO").orElse("").toLowerCase(Locale.ROOT);
        if (!order.isEmpty() && List.of(order.split(",")).stream().noneMatch(POSIX::contains)) {
            return;
        }
        // UCX asks sysv first, unless the setting has another order.
        if (order.isEmpty() && names.stream().anyMatch(name -> name.startsWith("sysv/"))
                && bytes <= availableMemory()) {
            return;
        }
        throw new UcxException(UcxStatus.NO_MEMORY, operation, null, bytes + " bytes, posix has room for " + room
                + "; leave posix out of the context's transports, or give its file system more");
    }

    /**
     * Throws the error with which making a worker failed; where posix may have lacked space, it names the free space.
     */
    public static void checkWorker(UcxSettings settings, Supplier<List<String>> transports, int rawStatus) {
        UcxStatus status = UcxStatus.of(rawStatus);
        boolean outOfRoom = status == UcxStatus.NO_MEMORY || status == UcxStatus.NO_RESOURCE;
        boolean roomy = room(directory(settings)) >= ENOUGH_BYTES
                && LockedMemoryLimit.OF_PROCESS.explanation() != null
                && RdmaDevices.OF_HOST.mayBeUsed(settings);
        if (outOfRoom && !roomy && OpenFileLimit.explanation() == null
                && transports.get().stream().anyMatch(name -> name.startsWith("posix/"))) {
            String directory = directory(settings);
            throw new UcxException(status, "worker_create", null, "a worker takes some MiB of shared memory, and "
                    + directory + " has room for " + room(directory)
                    + " bytes; leave posix out of the context's transports, or give that file system more");
        }
        String hugePages = status == UcxStatus.EXCEEDS_LIMIT ? hugePages(settings) : null;
        if (hugePages != null) {
            throw new UcxException(status, "worker_create", null, hugePages + " asks for huge pages, and the system has"
                    + " too few that are free (HugePages_Free in " + MEMINFO + "): reserve some with sysctl"
                    + " vm.nr_hugepages, or use try, which is UCX's default");
        }
        FailureCause.check(rawStatus, "worker_create", settings);
    }

    /** Returns the setting by which shared memory has to be of huge pages, null for none. */
    private static @Nullable String hugePages(UcxSettings settings) {
        return Stream.of("POSIX_HUGETLB_MODE", "SYSV_HUGETLB_MODE")
                .map(key -> key + "=" + settings.value(key).orElse(""))
                .filter(setting -> setting.matches("(?i).*=(y|yes|on|1)")).findFirst().orElse(null);
    }

    private static String directory(UcxSettings settings) {
        return settings.value("POSIX_DIR").filter(directory -> !directory.isEmpty())
                .orElse(FailureCause.DEFAULT_DIRECTORY);
    }

    /** Without such a directory posix fails before it writes. */
    private static long room(String directory) {
        try {
            return Files.getFileStore(Path.of(directory)).getUsableSpace();
        } catch (IOException | InvalidPathException e) {
            return Long.MAX_VALUE;
        }
    }

    private static long availableMemory() {
        try {
            return Files.readAllLines(MEMINFO, StandardCharsets.US_ASCII).stream()
                    .filter(line -> line.startsWith(AVAILABLE))
                    .mapToLong(line -> KIB * Long.parseLong(line.replaceAll("[^0-9]", ""))).findFirst().orElse(0);
        } catch (IOException e) {
            return 0;
        }
    }
}
