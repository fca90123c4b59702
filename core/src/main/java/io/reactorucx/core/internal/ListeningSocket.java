package io.reactorucx.core.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * A TCP socket of this process that listens, as the kernel's tables show it.
 *
 * @param descriptor the file descriptor
 * @param inode the kernel's number of the socket, which tells it from a later one with the same descriptor
 * @param address the address that it listens on
 */
public record ListeningSocket(int descriptor, String inode, InetSocketAddress address) {

    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final List<Path> TABLES = List.of(Path.of("/proc/self/net/tcp"), Path.of("/proc/self/net/tcp6"));
    private static final String LISTEN = "0A";
    private static final int LOCAL = 1;
    private static final int STATE = 3;
    private static final int INODE = 9;

    /** Returns the sockets of this process that listen on a port, on any of its addresses. */
    public static List<ListeningSocket> onPort(int port) {
        Map<String, InetSocketAddress> listening = new HashMap<>();
        for (Path table : TABLES) {
            if (Files.exists(table)) {
                read(table, port, listening);
            }
        }
        List<ListeningSocket> own = new ArrayList<>();
        if (!listening.isEmpty()) {
            descriptors().forEach((inode, descriptor) -> {
                if (listening.containsKey(inode)) {
                    own.add(new ListeningSocket(descriptor, inode, listening.get(inode)));
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

    private static void read(Path table, int port, Map<String, InetSocketAddress> listening) {
        try {
            for (String line : Files.readAllLines(table)) {
                String[] columns = line.trim().split("\\s+");
                if (columns.length > INODE && columns[STATE].equals(LISTEN)) {
                    int colon = columns[LOCAL].indexOf(':');
                    if (Integer.parseInt(columns[LOCAL].substring(colon + 1), 16) == port) {
                        listening.put(columns[INODE],
                                new InetSocketAddress(address(columns[LOCAL].substring(0, colon)), port));
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The kernel prints an address as words of 4 bytes in the processor's order. */
    private static InetAddress address(String hex) throws UnknownHostException {
        ByteBuffer printed = ByteBuffer.wrap(HexFormat.of().parseHex(hex));
        ByteBuffer address = ByteBuffer.allocate(printed.capacity()).order(ByteOrder.nativeOrder());
        while (printed.hasRemaining()) {
            address.putInt(printed.getInt());
        }
        return InetAddress.getByAddress(address.array());
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
