package io.reactorucx.core.internal.address;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.internal.process.ProcessState;
import io.reactorucx.core.internal.segment.SharedSegment;
import java.net.InetSocketAddress;
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
 * too, must look as its own address does. What they name must be one process's, and not this process's: an endpoint to
 * that makes UCX create others here, of which nothing knows.
 *
 * <p>Not checked are addresses of version 2, and those of the mode {@code UNIFIED_MODE=y}, where this worker uses them;
 * nor what transports of RDMA say.
 *
 * <p>Thread: worker.
 */
public final class PeerAddresses {

    private static final Set<String> OF_HOST = Set.of("posix", "sysv", "cma");
    private static final Set<String> BY_ADDRESS = Set.of("tcp", "posix", "sysv", "cma", "self");
    private static final float MAX_SECONDS = 1e3f;
    private static final float MAX_BANDWIDTH = 1e15f;

    /** The sizes of the number of a host, and of that and its namespace, of which a bit of the number tells. */
    private static final int HOST_BYTES = 8;
    private static final int HOST_AND_NAMESPACE_BYTES = 16;

    private final Supplier<byte[]> ownAddress;
    private final ConnectedWorkers connected;
    /** Empty where it has another layout; null before the first check. */
    private @Nullable List<TransportAddress> own;

    public PeerAddresses(Supplier<byte[]> ownAddress, ConnectedWorkers connected) {
        this.ownAddress = ownAddress;
        this.connected = connected;
    }

    /** Returns what an address says, and refuses one that UCX cannot be given. */
    public CheckedAddress check(byte[] address) {
        List<TransportAddress> known = own;
        if (known == null) {
            known = TransportAddress.parseOwn(ownAddress.get());
            own = known;
        }
        if (known.isEmpty()) {
            return new CheckedAddress(address, WorkerAddresses.uid(address), List.of(), List.of(), 0, false);
        }
        if (!TransportAddress.isKnown(address)) {
            throw TransportAddress.refused(address,
                    "version 2, this worker has version 1: UCX_ADDRESS_VERSION differs");
        }
        List<TransportAddress> parts = TransportAddress.parse(address);
        Set<Integer> ofHost = new HashSet<>();
        for (TransportAddress part : parts) {
            String wrong = wrong(part, known);
            if (wrong == null && isOfHost(part) && !ofHost.add(part.transport())) {
                wrong = name(part) + " twice";
            }
            if (wrong != null) {
                throw TransportAddress.refused(address, wrong);
            }
        }
        connected.check(address, parts);
        boolean ofThisProcess = OwnWorkers.has(address, parts);
        int process = ofThisProcess || OwnWorkers.isOfAnotherLoader(address) ? ProcessState.self()
                : process(address, parts, known);
        return new CheckedAddress(address, TransportAddress.worker(address), parts, sockets(parts, known),
                parts.stream().anyMatch(PeerAddresses::isOfHost) ? process : 0, ofThisProcess);
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
            return TcpAddress.wrong(part);
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

    /** Returns whether a part is for peers of one host alone. */
    public static boolean isOfHost(TransportAddress part) {
        return OF_HOST.contains(name(part));
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

    /** Returns where UCX may connect to, from any of this worker's devices. */
    private static List<InetSocketAddress> sockets(List<TransportAddress> parts, List<TransportAddress> own) {
        return parts.stream().filter(part -> part.is("tcp") && own.stream()
                .anyMatch(each -> each.is("tcp") && TcpAddress.isReachable(part, each)))
                .map(TcpAddress::of).distinct().toList();
    }

    /**
     * Returns the process of this host that an address of another process names, 0 for none, and refuses an address
     * that names what is not there, several processes, or this one.
     */
    private static int process(byte[] address, List<TransportAddress> parts, List<TransportAddress> own) {
        Set<Integer> processes = new HashSet<>();
        Map<Long, SharedSegment> systemV = parts.stream().anyMatch(part -> part.is("sysv")) ? SharedSegment.systemV()
                : Map.of();
        for (TransportAddress part : parts) {
            TransportAddress like = like(part, own);
            SharedSegment segment = like == null ? null : segment(part, like, systemV);
            SharedSegment ownSegment = like == null ? null : segment(like, like, systemV);
            if (segment != null) {
                processes.add(segment.process());
            }
            if (like != null && isOfThisProcess(part) || segment != null && segment.process() == ProcessState.self()) {
                throw TransportAddress.refused(address, "it names " + name(part) + " of this process, and has the"
                        + " number of no worker of this process");
            }
            if (segment != null && ownSegment != null && !segment.isLike(ownSegment)) {
                throw new UcxException(UcxStatus.UNREACHABLE, "ep_create", null, "workerAddress of " + address.length
                        + " bytes: " + name(part) + " with " + segment.name()
                        + ", which is no memory of a worker: it may have been closed");
            }
        }
        processes.remove(0);
        if (processes.size() > 1) {
            throw TransportAddress.refused(address, "it names memory of several processes: " + processes);
        }
        return processes.isEmpty() ? 0 : processes.iterator().next();
    }

    private static boolean isOfThisProcess(TransportAddress part) {
        return part.is("tcp") ? OwnWorkers.receivesAt(TcpAddress.of(part))
                : part.is("self") && OwnWorkers.receivesAt(part.transport(), part.address());
    }

    /** Returns the memory that a part names where it says that the peer is on this host; null otherwise. */
    private static @Nullable SharedSegment segment(TransportAddress part, TransportAddress like,
            Map<Long, SharedSegment> systemV) {
        if (!isOfHost(part) || !isHere(part.device(), like.device())) {
            return null;
        }
        ByteBuffer address = part.address();
        return switch (name(part)) {
            case "sysv" -> SharedSegment.sysv(address, systemV);
            case "cma" -> SharedSegment.isCmaReachable(address, like.address()) ? SharedSegment.cma(address) : null;
            default -> SharedSegment.isPosixReachable(address, like.address()) ? SharedSegment.posix(address) : null;
        };
    }
}
