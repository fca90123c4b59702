package io.reactorucx.core.internal.socket;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.reactorucx.core.ffi.sockaddr_in;
import io.reactorucx.core.ffi.sockaddr_in6;
import io.reactorucx.core.ffi.ucs_sock_addr;
import io.reactorucx.core.ffi.ucx_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.ByteOrder;
import java.util.Objects;

/** Socket addresses in C's form and back. */
public final class SocketAddresses {

    private static final ValueLayout.OfShort PORT = JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);
    private static final long PORT_OFFSET = 2;
    private static final long IPV4_OFFSET = 4;
    private static final int IPV4_BYTES = 4;
    private static final long IPV6_OFFSET = 8;
    private static final int IPV6_BYTES = 16;
    private static final long SCOPE_OFFSET = 24;

    private SocketAddresses() {
    }

    public static InetSocketAddress checked(InetSocketAddress address, String name) {
        Objects.requireNonNull(address, name);
        if (address.isUnresolved()) {
            throw new IllegalArgumentException(name + " " + address + ": the host name has no known address");
        }
        return address;
    }

    /**
     * Refuses to connect from an address of another family than the peer's, which fails late and names neither, or from
     * one that no network interface has: the system takes all of 127.0.0.0/8, for which UCX finds no device, and the
     * connection hangs.
     */
    public static void requireUsableFor(InetSocketAddress local, InetSocketAddress remote) {
        try {
            if (!local.getAddress().isAnyLocalAddress() && NetworkInterface.getByInetAddress(local.getAddress())
                    == null) {
                throw new IllegalArgumentException("localAddress " + local
                        + ": no network interface of this host has it");
            }
        } catch (SocketException e) {
            throw new IllegalArgumentException("localAddress " + local
                    + ": the network interfaces of this host are not known", e);
        }
        if (local.getAddress().getAddress().length != remote.getAddress().getAddress().length) {
            throw new IllegalArgumentException("localAddress " + local + ": of another family than " + remote);
        }
    }

    /** Fills a {@code ucs_sock_addr_t} whose target lives as long as the arena. */
    public static void fill(MemorySegment sockAddr, InetSocketAddress address, Arena arena) {
        InetAddress ip = address.getAddress();
        byte[] bytes = ip.getAddress();
        boolean v4 = bytes.length == IPV4_BYTES;
        MemorySegment sockaddr = arena.allocate(v4 ? sockaddr_in.layout() : sockaddr_in6.layout());
        sockaddr.set(JAVA_SHORT, 0, (short) (v4 ? ucx_h.AF_INET() : ucx_h.AF_INET6()));
        sockaddr.set(PORT, PORT_OFFSET, (short) address.getPort());
        MemorySegment.copy(bytes, 0, sockaddr, JAVA_BYTE, v4 ? IPV4_OFFSET : IPV6_OFFSET, bytes.length);
        if (ip instanceof Inet6Address v6) {
            sockaddr.set(JAVA_INT, SCOPE_OFFSET, v6.getScopeId());
        }
        ucs_sock_addr.addr(sockAddr, sockaddr);
        ucs_sock_addr.addrlen(sockAddr, (int) sockaddr.byteSize());
    }

    /** Reads a {@code sockaddr_storage}. */
    public static InetSocketAddress read(MemorySegment storage) {
        boolean v4 = storage.get(JAVA_SHORT, 0) == (short) ucx_h.AF_INET();
        int port = Short.toUnsignedInt(storage.get(PORT, PORT_OFFSET));
        byte[] bytes = storage.asSlice(v4 ? IPV4_OFFSET : IPV6_OFFSET, v4 ? IPV4_BYTES : IPV6_BYTES).toArray(JAVA_BYTE);
        try {
            InetAddress ip = v4 ? InetAddress.getByAddress(bytes)
                    : Inet6Address.getByAddress(null, bytes, storage.get(JAVA_INT, SCOPE_OFFSET));
            return new InetSocketAddress(ip, port);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of " + bytes.length + " bytes", e);
        }
    }
}
