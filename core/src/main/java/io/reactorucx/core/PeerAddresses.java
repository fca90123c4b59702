package io.reactorucx.core;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The check of addresses that peers send, before UCX connects to them. UCX follows their lengths without a limit,
 * aborts at some numbers, and maps whatever file of shared memory they name. What transports say that this worker has,
 * too, must look as its own address does.
 *
 * <p>Not checked are addresses of version 2, and those of the mode {@code UNIFIED_MODE=y}, where this worker uses them;
 * nor what transports of RDMA say.
 *
 * <p>Thread: worker.
 */
final class PeerAddresses {

    private static final Set<String> OF_HOST = Set.of("posix", "sysv", "cma");
    private static final Set<String> BY_ADDRESS = Set.of("tcp", "posix", "sysv", "cma", "self");
    private static final float MAX_SECONDS = 1e3f;
    private static final float MAX_BANDWIDTH = 1e15f;

    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;
    /** The sizes of two leading bytes and an address of IPv4, of IPv6, or of the host and its network namespace. */
    private static final Map<Integer, Integer> TCP_DEVICE_BYTES = Map.of(AF_INET, 2 + 4, AF_INET6, 2 + 16);
    private static final int LOOPBACK_BYTES = 2 + 8 + 8;
    /** The sizes of the number of a host, and of that and its namespace, of which a bit of the number tells. */
    private static final int HOST_BYTES = 8;
    private static final int HOST_AND_NAMESPACE_BYTES = 16;

    private final Supplier<byte[]> ownAddress;
    /** Empty where it has another layout; null before the first check. */
    private @Nullable List<TransportAddress> own;

    PeerAddresses(Supplier<byte[]> ownAddress) {
        this.ownAddress = ownAddress;
    }

    void check(byte[] address) {
        List<TransportAddress> known = own;
        if (known == null) {
            known = parsed(ownAddress.get());
            own = known;
        }
        if (known.isEmpty()) {
            return;
        }
        if (!TransportAddress.isKnown(address)) {
            throw TransportAddress.refused(address,
                    "version 2, this worker has version 1: UCX_ADDRESS_VERSION differs");
        }
        Set<Integer> processes = new HashSet<>();
        List<TransportAddress> parts = TransportAddress.parse(address);
        for (TransportAddress part : parts) {
            String wrong = wrong(part, known);
            if (wrong != null) {
                throw TransportAddress.refused(address, wrong);
            }
        }
        for (TransportAddress part : parts) {
            String missing = missing(part, known, processes);
            if (missing != null) {
                throw new UcxException(UcxStatus.UNREACHABLE, "ep_create", null, "workerAddress of " + address.length
                        + " bytes: " + missing + ", which is no memory of a worker: it may have been closed");
            }
        }
        if (processes.size() > 1) {
            throw TransportAddress.refused(address, "it names memory of several processes: " + processes);
        }
    }

    private static List<TransportAddress> parsed(byte[] ownAddress) {
        try {
            return TransportAddress.isKnown(ownAddress) ? TransportAddress.parse(ownAddress) : List.of();
        } catch (IllegalArgumentException e) {
            return List.of();
        }
    }

    /** Returns what is wrong with a part, null if nothing is. */
    private static @Nullable String wrong(TransportAddress part, List<TransportAddress> own) {
        if (!isWithin(part.overhead(), MAX_SECONDS) || !isWithin(part.latency(), MAX_SECONDS)
                || !isWithin(Math.abs(part.bandwidth()), MAX_BANDWIDTH) || part.bandwidth() == 0) {
            return "a transport with an overhead of " + part.overhead() + " s, a bandwidth of " + part.bandwidth()
                    + " bytes/s and a latency of " + part.latency() + " s";
        }
        TransportAddress like = like(part, own);
        String name = name(part);
        if (like == null || name.isEmpty()) {
            return null;
        }
        if ((part.flags() & TransportAddress.CONNECTS_TO_ADDRESS) == 0) {
            return name + " that does not connect to addresses";
        }
        if (name.equals("tcp")) {
            return wrongTcp(part, like);
        }
        if (name.equals("self")) {
            return part.address().remaining() == like.address().remaining() ? null
                    : "self with an address of " + part.address().remaining() + " bytes";
        }
        int deviceBytes = part.device().remaining();
        if (deviceBytes < HOST_BYTES || hasNamespace(part.device()) && deviceBytes < HOST_AND_NAMESPACE_BYTES) {
            return name + " with an address of its host of " + deviceBytes + " bytes";
        }
        int least = name.equals("cma") ? Integer.BYTES : Long.BYTES;
        return part.address().remaining() >= least ? null
                : name + " with an address of " + part.address().remaining() + " bytes";
    }

    private static String name(TransportAddress part) {
        return BY_ADDRESS.stream().filter(part::is).findFirst().orElse("");
    }

    /** Returns what this worker's address says of the same transport, null if it has none. */
    private static @Nullable TransportAddress like(TransportAddress part, List<TransportAddress> own) {
        return own.stream().filter(each -> each.transport() == part.transport()).findFirst().orElse(null);
    }

    private static boolean hasNamespace(ByteBuffer host) {
        return host.getLong(0) < 0;
    }

    /** Returns whether UCX takes an address of a host for this one. */
    private static boolean isHere(ByteBuffer host, ByteBuffer own) {
        return host.getLong(0) == own.getLong(0)
                && (!hasNamespace(host) || host.getLong(HOST_BYTES) == own.getLong(HOST_BYTES));
    }

    private static boolean isWithin(float value, float max) {
        return value >= 0 && value <= max;
    }

    private static @Nullable String wrongTcp(TransportAddress part, TransportAddress like) {
        ByteBuffer device = part.device();
        if (part.address().remaining() != like.address().remaining()) {
            return "tcp with an address of " + part.address().remaining() + " bytes";
        }
        boolean loopback = device.remaining() > 2 && (device.get(0) & 1) != 0;
        int wanted = device.remaining() < 2 ? -1 : loopback ? LOOPBACK_BYTES
                : TCP_DEVICE_BYTES.getOrDefault((int) device.get(1), -1);
        return device.remaining() == wanted ? null
                : "tcp with an address of its device of " + device.remaining() + " bytes";
    }

    /** Returns what a part names that is not there, where it says that the peer is on this host; null otherwise. */
    private static @Nullable String missing(TransportAddress part, List<TransportAddress> own,
            Set<Integer> processes) {
        TransportAddress like = like(part, own);
        String name = name(part);
        if (like == null || !OF_HOST.contains(name) || !isHere(part.device(), like.device())) {
            return null;
        }
        ByteBuffer address = part.address();
        ByteBuffer ownAddress = like.address();
        if (name.equals("sysv")) {
            SharedSegment segment = SharedSegment.sysv(address);
            return segment.isLike(SharedSegment.sysv(ownAddress)) ? null : "sysv with " + segment.name();
        }
        if (name.equals("cma")) {
            if (SharedSegment.isCmaReachable(address, ownAddress)) {
                processes.add(SharedSegment.cmaProcess(address));
            }
            return null;
        }
        if (!SharedSegment.isPosixReachable(address, ownAddress)) {
            return null;
        }
        SharedSegment segment = SharedSegment.posix(address);
        if (segment.process() != 0) {
            processes.add(segment.process());
        }
        return segment.isLike(SharedSegment.posix(ownAddress)) ? null : "posix with " + segment.name();
    }
}
