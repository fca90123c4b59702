package io.reactorucx.core.internal.config;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.internal.process.LockedMemoryLimit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The queues of a worker over RDMA, whose memory UCX locks: some with the worker, more with its first endpoint and its
 * first messages. Where it gets none, UCX 1.18 writes an error to its log again and again, and the worker is never
 * made, or nothing arrives.
 *
 * @param devices those of the host
 * @param limit that of the process
 */
public record RdmaQueues(RdmaDevices devices, LockedMemoryLimit limit) {

    private static final RdmaQueues OF_PROCESS = new RdmaQueues(RdmaDevices.OF_HOST, LockedMemoryLimit.OF_PROCESS);
    /** UCX's defaults of RX_QUEUE_LEN and SEG_SIZE, for datagrams and for connections. */
    private static final long DATAGRAMS = 4096;
    private static final long MESSAGES = 4095;
    private static final long MESSAGE_BYTES = 8256;
    /** Headers, and what UCX keeps for each. */
    private static final long EXTRA_BYTES = 512;
    /**
     * The locked memory that was measured besides one queue, by VmPin of a process with requests of up to 8 KB: for
     * datagrams as much again for those that have arrived, and 4 MiB to send; for connections 24 MiB.
     */
    private static final long DATAGRAMS_SENT_BYTES = 4 << 20;
    private static final long MESSAGES_SENT_BYTES = 24 << 20;
    private static final List<String> SIZES = List.of("RX_QUEUE_LEN", "SEG_SIZE");
    private static final int KIB = 1024;

    /** Throws when those of one more worker would exceed the limit, unless the user has set their size. */
    public static void require(UcxSettings settings, Supplier<List<String>> transports) {
        if (RdmaDevices.OF_HOST.mayBeUsed(settings)) {
            OF_PROCESS.shortage(settings, transports).ifPresent(shortage -> {
                throw new UcxException(UcxStatus.NO_MEMORY, "worker_create", null, shortage);
            });
        }
    }

    /** Returns what is missing, empty for nothing. */
    Optional<String> shortage(UcxSettings settings, Supplier<List<String>> transports) {
        long allowed = limit.bytes();
        if (allowed == Long.MAX_VALUE || sizesAreSet(settings.given().keySet())
                || sizesAreSet(System.getenv().keySet())) {
            return Optional.empty();
        }
        List<String> queues = transports.get().stream().filter(each -> bytes(each) > 0).toList();
        long needed = queues.stream().mapToLong(this::bytes).sum();
        long pinned = limit.pinnedBytes();
        return needed <= allowed - pinned ? Optional.empty() : Optional.of("the queues of a worker over "
                + String.join(" and ", queues) + " lock about " + needed / KIB + " KiB, and this process may lock "
                + allowed / KIB + " KiB, of which RDMA devices have " + pinned / KIB + " KiB: "
                + LockedMemoryLimit.remedy() + ", set " + queues.stream().map(each -> each.substring(0,
                each.indexOf('/')).toUpperCase(Locale.ROOT) + "_RX_QUEUE_LEN").distinct()
                .collect(Collectors.joining(" and ")) + " lower, or name transports without RDMA");
    }

    private static boolean sizesAreSet(Set<String> names) {
        return names.stream().anyMatch(name -> SIZES.stream().anyMatch(name::endsWith)
                && Stream.of("UD_", "RC_", "DC_", "IB_").anyMatch(name::contains));
    }

    /** Returns what a transport of a device locks, in the form {@code ud_verbs/mlx5_0:1}; 0 for others than RDMA's. */
    private long bytes(String transport) {
        if (transport.startsWith("ud_")) {
            return 2 * DATAGRAMS * (devices.packetBytes(transport.replaceFirst(".*/", "")) + EXTRA_BYTES)
                    + DATAGRAMS_SENT_BYTES;
        }
        return transport.startsWith("rc_") || transport.startsWith("dc_")
                ? MESSAGES * MESSAGE_BYTES + MESSAGES_SENT_BYTES : 0;
    }
}
