package io.reactorucx.examples.soak;

import io.reactorucx.UcxResources;
import io.reactorucx.engine.ProgressEngine;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Amounts of what a process holds at a moment, by name; in bytes where the name says so.
 *
 * @param values the amounts
 */
public record Levels(Map<String, Long> values) {

    /** Names of the levels that must be zero when no connection is open. */
    static final List<String> NOTHING = List.of("connections", "in flight", "held messages", "leases");

    /** Name of the number of errors without a receiver that are no errors of a connection. */
    public static final String UNEXPECTED = "unexpected errors";
    /** Name of the memory that buffer pools have mapped, up to their limits. */
    public static final String SLABS = "slab bytes";
    /** Name of the memory that Netty's allocators have, as much as was in use at once. */
    static final String NETTY = "netty bytes";
    /** Name of the resident memory, the Java heap and the slabs of pools included. */
    static final String RESIDENT = "resident bytes";

    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    /** Emits the levels of this process after a garbage collection. Waits on a thread that may block. */
    static Mono<Levels> settled(UcxResources resources) {
        return Mono.fromCallable(() -> now(resources)).subscribeOn(Schedulers.boundedElastic());
    }

    private static Levels now(UcxResources resources) {
        System.gc();
        Map<String, Long> values = new LinkedHashMap<>();
        values.put("connections", (long) resources.openConnections());
        values.put("in flight", resources.engines().stream().map(ProgressEngine::counters)
                .mapToLong(each -> each.inFlight()).sum());
        values.put("held messages", resources.engines().stream().map(ProgressEngine::counters)
                .mapToLong(each -> each.heldMessages()).sum());
        values.put("leases", (long) resources.buffers().leases());
        values.put(UNEXPECTED, DroppedErrors.unexpected());
        values.put("numbers asked for", RequestTraffic.asked());
        long slabs = resources.buffers().slabBytes();
        values.put(SLABS, slabs);
        addProcess(values, slabs, 0);
        return new Levels(values);
    }

    /**
     * Adds what the whole process holds, when its native memory falls no more.
     *
     * @param values where to
     * @param slabBytes memory that buffer pools have mapped
     * @param nettyBytes memory that Netty's allocators have from the C library
     */
    public static void addProcess(Map<String, Long> values, long slabBytes, long nettyBytes) {
        NativeMemory memory = NativeMemory.settled();
        if (nettyBytes > 0) {
            values.put(NETTY, nettyBytes);
        }
        values.put("heap bytes", ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        memory.mallocBytes().ifPresent(bytes -> values.put("malloc bytes", bytes - nettyBytes));
        // The slabs of the pool may grow up to its limit, and all their pages are in use from the start. Those that
        // peers may map are no private pages, and a little larger than what the pool has of them.
        PoolFiles pools = PoolFiles.now();
        values.put("mapped bytes", memory.mappedBytes() - Math.max(0, slabBytes - pools.ownBytes()));
        values.put("shared bytes", status("RssShmem:") - pools.residentBytes());
        values.put("/dev/shm bytes", usedSharedMemory());
        values.put("descriptors", (long) list("/proc/self/fd") - pools.descriptors());
        values.put("threads", (long) list("/proc/self/task"));
        values.put(RESIDENT, status("VmRSS:"));
    }

    private static long status(String key) {
        try {
            return Files.readAllLines(Path.of("/proc/self/status"), StandardCharsets.US_ASCII).stream()
                    .filter(line -> line.startsWith(key)).mapToLong(line ->
                    Long.parseLong(line.replaceAll("\\D", "")) << 10).findFirst().orElse(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long usedSharedMemory() {
        File file = SHARED_MEMORY.toFile();
        return file.getTotalSpace() - file.getFreeSpace();
    }

    private static int list(String directory) {
        String[] names = new File(directory).list();
        return names == null ? 0 : names.length;
    }

    /**
     * {@return an amount}
     *
     * @param name its name
     */
    public long of(String name) {
        return Objects.requireNonNull(values.get(name), name);
    }

    /** {@return the levels as a line, for another process} */
    public String toLine() {
        return values.entrySet().stream().map(each -> each.getKey() + "=" + each.getValue())
                .collect(Collectors.joining(";"));
    }

    /**
     * {@return the levels of another process}
     *
     * @param line as {@link #toLine()} has formatted it
     */
    public static Levels parse(String line) {
        Map<String, Long> values = new LinkedHashMap<>();
        Arrays.stream(line.split(";")).map(each -> each.split("=")).forEach(pair ->
                values.put(pair[0], Long.valueOf(pair[1])));
        return new Levels(values);
    }
}
