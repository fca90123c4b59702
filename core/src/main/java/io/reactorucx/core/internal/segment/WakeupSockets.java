package io.reactorucx.core.internal.segment;

import io.reactorucx.core.ffi.UcpCompat;
import io.reactorucx.core.internal.socket.ListeningSocket;
import io.reactorucx.core.internal.socket.SocketFilter;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The datagram sockets by which peers wake up a worker that sleeps over shared memory, with a byte each. The kernel
 * lists their names for all users of the network namespace, who may send to them, and UCX ends the process when an
 * empty datagram comes ({@code ucp_worker_arm}).
 */
public final class WakeupSockets {

    private static final Logger LOG = LoggerFactory.getLogger(WakeupSockets.class);
    private static final Path TABLE = Path.of("/proc/self/net/unix");
    private static final int INODE = 6;
    private static final int NAME = 7;
    private static final long LARGEST_DATAGRAM = 64;
    /** More than the queue of a datagram socket holds by the kernel's default ({@code net.unix.max_dgram_qlen}). */
    private static final int MAX_QUEUED = 10_000;

    /** The size of a {@code sockaddr_storage}, which holds any address. */
    private static final int ADDRESS_BYTES = 128;

    /** The names of this process's sockets by their descriptors; what UCX has closed is found when it is used. */
    private static final Map<Integer, String> OWN = new ConcurrentHashMap<>();

    private WakeupSockets() {
    }

    /**
     * Lets the kernel drop all but single bytes, for the sockets that have no filter: those of workers that have just
     * been made.
     */
    public static void takeSignalsOnly() {
        try {
            Set<String> names = SharedMemoryQueue.ownSignalSockets();
            if (names.isEmpty()) {
                return;
            }
            Map<String, Integer> descriptors = ListeningSocket.descriptors();
            for (String line : Files.readAllLines(TABLE)) {
                String[] columns = line.trim().split("\\s+");
                if (columns.length > NAME && columns[NAME].startsWith("@")
                        && names.contains(columns[NAME].substring(1)) && descriptors.containsKey(columns[INODE])) {
                    takeSignalsOnly(descriptors.get(columns[INODE]));
                    OWN.put(descriptors.get(columns[INODE]), columns[NAME].substring(1));
                }
            }
        } catch (IOException | RuntimeException e) {
            // The worker exists already, and works without.
            LOG.warn("UCX's sockets of shared memory have no filter, any user of this host can end the process: {}",
                    e.toString());
        }
    }

    /** Sends the byte by which a peer wakes a worker up to all workers of this process. */
    public static void signalOwn() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(ADDRESS_BYTES, Long.BYTES);
            MemorySegment length = arena.allocate(ValueLayout.JAVA_INT);
            MemorySegment signal = arena.allocate(1);
            OWN.forEach((descriptor, name) -> {
                length.set(ValueLayout.JAVA_INT, 0, ADDRESS_BYTES);
                if (UcpCompat.socketAddress(descriptor, address, length) != 0
                        || !isNamed(name, address, length.get(ValueLayout.JAVA_INT, 0))) {
                    OWN.remove(descriptor, name);
                } else {
                    // The kernel refuses the byte where the socket has signals enough already.
                    UcpCompat.sendNow(descriptor, signal, 1, address, length.get(ValueLayout.JAVA_INT, 0));
                }
            });
        }
    }

    /** Returns whether an address is that of a socket in the abstract namespace, whose name follows a zero. */
    private static boolean isNamed(String name, MemorySegment address, int bytes) {
        int begin = Short.BYTES + 1;
        return bytes == begin + name.length() && address.get(ValueLayout.JAVA_BYTE, Short.BYTES) == 0
                && new String(address.asSlice(begin, name.length()).toArray(ValueLayout.JAVA_BYTE),
                        StandardCharsets.ISO_8859_1).equals(name);
    }

    private static void takeSignalsOnly(int descriptor) {
        if (SocketFilter.isAttached(descriptor)) {
            return;
        }
        if (SocketFilter.attachSingleBytes(descriptor) != 0) {
            LOG.warn("The kernel has refused the filter of UCX's socket of shared memory, any user of this host can end"
                    + " the process");
            return;
        }
        // No peer knows the worker yet: what has come before the filter was is no signal.
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment datagram = arena.allocate(LARGEST_DATAGRAM);
            int received = 0;
            while (received < MAX_QUEUED && UcpCompat.receiveNow(descriptor, datagram, LARGEST_DATAGRAM) >= 0) {
                received++;
            }
        }
    }
}
