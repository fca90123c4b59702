package io.reactorucx.core.internal.socket;

import io.reactorucx.core.ffi.UcpCompat;
import io.reactorucx.core.ffi.ucx_h;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Queue;

/**
 * Tells whether a process of this host has a certain TCP socket, by what the kernel says: the number of the socket
 * ({@code sock_diag(7)} finds it by its two addresses, at any number of sockets in 5 µs), and the descriptors of the
 * process.
 *
 * <p>Thread: any.
 */
public final class SocketOwner {

    /** Of a process with more nothing is said: a stranger could otherwise choose how long the look takes. */
    static final int MAX_DESCRIPTORS = 16 << 10;

    private static final short SOCK_DIAG_BY_FAMILY = 20;
    private static final short NLM_F_REQUEST = 1;
    private static final byte IPPROTO_TCP = 6;
    private static final int ALL_STATES = -1;
    private static final int NO_COOKIE = -1;
    private static final int ADDRESS_BYTES = 16;
    /** Of {@code nlmsghdr} and {@code inet_diag_req_v2}. */
    private static final int REQUEST_BYTES = 16 + 56;
    private static final int REQUEST_PORTS_AT = 24;
    /** In the answer, behind {@code nlmsghdr}: family, state, and the two ports in network byte order. */
    private static final int TYPE_AT = 4;
    private static final int STATE_AT = 17;
    private static final int PORTS_AT = 20;
    private static final int INODE_AT = 84;
    private static final int ANSWER_BYTES = 512;
    private static final byte TCP_LISTEN = 10;
    private static final long UNSIGNED_INT = 0xFFFF_FFFFL;

    private SocketOwner() {
    }

    /**
     * Returns whether a process has the socket of an established connection.
     *
     * @param process the id of the process
     * @param own the socket's own address
     * @param peer the address of the socket's peer
     * @return true when the kernel says so; false otherwise, also where this process may not look at the other one
     */
    public static boolean hasSocket(int process, InetSocketAddress own, InetSocketAddress peer) {
        long inode = inode(own, peer);
        return inode != 0 && hasDescriptor(process, "socket:[" + inode + "]");
    }

    private static long inode(InetSocketAddress own, InetSocketAddress peer) {
        int netlink = UcpCompat.socketDiagnosis();
        if (netlink < 0) {
            return 0;
        }
        try (Arena arena = Arena.ofConfined()) {
            byte[] request = request(own, peer);
            MemorySegment sent = arena.allocate(request.length, Long.BYTES)
                    .copyFrom(MemorySegment.ofArray(request));
            if (UcpCompat.sendNow(netlink, sent, request.length, MemorySegment.NULL, 0) != request.length) {
                return 0;
            }
            MemorySegment answer = arena.allocate(ANSWER_BYTES, Long.BYTES);
            // The kernel answers within the call that sends.
            long bytes = UcpCompat.receiveNow(netlink, answer, ANSWER_BYTES);
            boolean found = bytes >= INODE_AT + Integer.BYTES
                    && answer.get(ValueLayout.JAVA_SHORT, TYPE_AT) == SOCK_DIAG_BY_FAMILY
                    && answer.get(ValueLayout.JAVA_BYTE, STATE_AT) != TCP_LISTEN
                    && answer.get(ValueLayout.JAVA_INT, PORTS_AT)
                    == sent.get(ValueLayout.JAVA_INT, REQUEST_PORTS_AT);
            return found ? answer.get(ValueLayout.JAVA_INT, INODE_AT) & UNSIGNED_INT : 0;
        } finally {
            UcpCompat.close(netlink);
        }
    }

    private static byte[] request(InetSocketAddress own, InetSocketAddress peer) {
        boolean ipv6 = own.getAddress() instanceof Inet6Address;
        ByteBuffer out = ByteBuffer.allocate(REQUEST_BYTES).order(ByteOrder.nativeOrder());
        out.putInt(REQUEST_BYTES).putShort(SOCK_DIAG_BY_FAMILY).putShort(NLM_F_REQUEST).putInt(0).putInt(0);
        out.put((byte) (ipv6 ? ucx_h.AF_INET6() : ucx_h.AF_INET())).put(IPPROTO_TCP).putShort((short) 0)
                .putInt(ALL_STATES);
        out.order(ByteOrder.BIG_ENDIAN).putShort((short) own.getPort()).putShort((short) peer.getPort());
        putAddress(out, own);
        putAddress(out, peer);
        out.order(ByteOrder.nativeOrder())
                .putInt(own.getAddress() instanceof Inet6Address scoped ? scoped.getScopeId() : 0)
                .putInt(NO_COOKIE).putInt(NO_COOKIE);
        return out.array();
    }

    private static void putAddress(ByteBuffer out, InetSocketAddress address) {
        int end = out.position() + ADDRESS_BYTES;
        out.put(address.getAddress().getAddress()).position(end);
    }

    /** Begins with the highest number: a new socket mostly has it. */
    private static boolean hasDescriptor(int process, String target) {
        Queue<Path> highestFirst = new PriorityQueue<>(Comparator.comparingInt(SocketOwner::number).reversed());
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc", String.valueOf(process), "fd"))) {
            for (Path each : all) {
                highestFirst.add(each);
                if (highestFirst.size() > MAX_DESCRIPTORS) {
                    return false;
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            return false;
        }
        for (Path each = highestFirst.poll(); each != null; each = highestFirst.poll()) {
            if (leadsTo(each, target)) {
                return true;
            }
        }
        return false;
    }

    private static int number(Path descriptor) {
        return Integer.parseInt(descriptor.getFileName().toString());
    }

    private static boolean leadsTo(Path descriptor, String target) {
        try {
            return Files.readSymbolicLink(descriptor).toString().equals(target);
        } catch (IOException e) {
            return false; // Closed meanwhile.
        }
    }
}
