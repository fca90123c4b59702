package io.reactorucx.core.internal.address;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the part of a worker's address for tcp: a device, which is a host or loopback, and a port. */
public final class TcpAddress {

    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;
    /** Flags and the family. */
    private static final int HEAD_BYTES = 2;
    private static final Map<Integer, Integer> HOST_BYTES = Map.of(AF_INET, 4, AF_INET6, 16);
    /** Loopback has the number of the host and that of its network namespace. */
    private static final int LOOPBACK_BYTES = HEAD_BYTES + 8 + 8;
    private static final int PORT_BYTES = 2;

    private TcpAddress() {
    }

    static boolean isLoopback(TransportAddress part) {
        return part.device().remaining() > HEAD_BYTES && (part.device().get(0) & 1) != 0;
    }

    private static int family(TransportAddress part) {
        return part.device().remaining() < HEAD_BYTES ? 0 : part.device().get(1);
    }

    /** Returns what is wrong with a part, null if nothing is. */
    static @Nullable String wrong(TransportAddress part) {
        if (part.address().remaining() != PORT_BYTES) {
            return "tcp with an address of " + part.address().remaining() + " bytes";
        }
        int wanted = isLoopback(part) ? LOOPBACK_BYTES
                : HEAD_BYTES + HOST_BYTES.getOrDefault(family(part), LOOPBACK_BYTES);
        if (part.device().remaining() != wanted || !HOST_BYTES.containsKey(family(part))) {
            return "tcp with an address of its device of " + part.device().remaining() + " bytes";
        }
        InetSocketAddress socket = of(part);
        InetAddress host = socket.getAddress();
        return host.isAnyLocalAddress() || host.isMulticastAddress() || socket.getPort() == 0
                ? "tcp at " + socket + ", where no worker receives" : null;
    }

    /** Returns where UCX connects to for a part in which nothing is wrong. */
    public static InetSocketAddress of(TransportAddress part) {
        byte[] host = new byte[HOST_BYTES.getOrDefault(family(part), 0)];
        ByteBuffer device = part.device();
        if (!isLoopback(part)) {
            device.get(HEAD_BYTES, host);
        } else if (family(part) == AF_INET) {
            host = new byte[] {127, 0, 0, 1};
        } else {
            host[host.length - 1] = 1;
        }
        try {
            // The port is in network byte order.
            return new InetSocketAddress(InetAddress.getByAddress(host),
                    (part.address().get(0) & 0xff) << Byte.SIZE | part.address().get(1) & 0xff);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("an address of " + host.length + " bytes", e);
        }
    }

    /** Returns whether UCX can connect to a part from the device of the other. */
    static boolean isReachable(TransportAddress part, TransportAddress own) {
        return family(part) == family(own) && isLoopback(part) == isLoopback(own);
    }
}
