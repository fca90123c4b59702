package io.reactorucx.core.internal.socket;

import io.reactorucx.core.ffi.UcpCompat;
import io.reactorucx.core.ffi.ucx_h;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A TCP socket of this process that listens. The process's own descriptors are asked, not the kernel's tables of all
 * sockets: to print those the kernel walks through a hash table whose size grows with the memory of the host, which
 * takes milliseconds.
 *
 * @param descriptor the file descriptor
 * @param inode the kernel's number of the socket, which tells it from a later one with the same descriptor
 * @param address the address that it listens on
 */
public record ListeningSocket(int descriptor, String inode, InetSocketAddress address) {

    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    /** The size of a {@code sockaddr_storage}. */
    private static final int ADDRESS_BYTES = 128;

    /** Returns the sockets of this process that listen on a port, on any of its addresses. */
    public static List<ListeningSocket> onPort(int port) {
        List<ListeningSocket> own = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment storage = arena.allocate(ADDRESS_BYTES, Long.BYTES);
            MemorySegment length = arena.allocate(ValueLayout.JAVA_INT);
            descriptors().forEach((inode, descriptor) -> {
                if (listens(descriptor, storage, length) && readAddress(descriptor, storage, length)) {
                    InetSocketAddress address = SocketAddresses.read(storage);
                    ListeningSocket socket = new ListeningSocket(descriptor, inode, withoutScope(address));
                    // Another thread may have closed the socket meanwhile, and opened another by the same number.
                    if (address.getPort() == port && socket.isOpen()) {
                        own.add(socket);
                    }
                }
            });
        }
        return List.copyOf(own);
    }

    /** Returns the descriptors of this process's sockets by the kernel's numbers of the sockets. */
    public static Map<String, Integer> descriptors() {
        Map<String, Integer> own = new HashMap<>();
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(DESCRIPTORS)) {
            for (Path each : descriptors) {
                String inode = inode(each);
                if (!inode.isEmpty()) {
                    own.put(inode, Integer.valueOf(each.getFileName().toString()));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return own;
    }

    /** Returns whether the descriptor still is this socket. */
    public boolean isOpen() {
        return inode(DESCRIPTORS.resolve(Integer.toString(descriptor))).equals(inode);
    }

    private static boolean listens(int descriptor, MemorySegment value, MemorySegment length) {
        length.set(ValueLayout.JAVA_INT, 0, Integer.BYTES);
        return UcpCompat.listens(descriptor, value, length) == 0 && value.get(ValueLayout.JAVA_INT, 0) != 0;
    }

    /** Returns whether the socket has an address of IP, which is in the storage then. */
    private static boolean readAddress(int descriptor, MemorySegment storage, MemorySegment length) {
        length.set(ValueLayout.JAVA_INT, 0, ADDRESS_BYTES);
        if (UcpCompat.socketAddress(descriptor, storage, length) != 0) {
            return false;
        }
        int family = storage.get(ValueLayout.JAVA_SHORT, 0);
        return family == ucx_h.AF_INET() || family == ucx_h.AF_INET6();
    }

    private static InetSocketAddress withoutScope(InetSocketAddress address) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(address.getAddress().getAddress()),
                    address.getPort());
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of IP of a length that none has: " + address, e);
        }
    }

    private static String inode(Path descriptor) {
        try {
            String target = Files.readSymbolicLink(descriptor).toString();
            return target.startsWith("socket:[") ? target.substring("socket:[".length(), target.length() - 1) : "";
        } catch (IOException e) {
            // Closed meanwhile.
            return "";
        }
    }
}
