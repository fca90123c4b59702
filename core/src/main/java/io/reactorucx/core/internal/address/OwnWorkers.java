package io.reactorucx.core.internal.address;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * The workers of this process. UCX connects to whatever an address names: one that names memory or a port of this
 * process under the number of another worker makes endpoints in this process that no connection knows.
 *
 * <p>Thread: any.
 */
public final class OwnWorkers {

    /** Tells other class loaders of the process, which have classes of their own, of a worker. */
    private static final String PROPERTY = "io.reactorucx.worker.";
    private static final Map<Long, List<TransportAddress>> PARTS = new ConcurrentHashMap<>();

    private OwnWorkers() {
    }

    /** A worker was created, which has an address. */
    public static void opened(byte[] address) {
        if (TransportAddress.isKnown(address)) {
            long worker = TransportAddress.worker(address);
            PARTS.put(worker, TransportAddress.parseOwn(address));
            System.setProperty(property(worker), digest(address));
        }
    }

    /** A worker ends. */
    public static void closed(byte[] address) {
        if (TransportAddress.isKnown(address)) {
            long worker = TransportAddress.worker(address);
            PARTS.remove(worker);
            System.clearProperty(property(worker));
        }
    }

    /**
     * Returns whether an address is that of a worker of this process, and of this class loader.
     *
     * @throws IllegalArgumentException for one that has its number and other parts
     */
    static boolean has(byte[] address, List<TransportAddress> parts) {
        long worker = TransportAddress.worker(address);
        List<TransportAddress> own = PARTS.get(worker);
        if (own == null) {
            return false;
        }
        if (!parts.stream().allMatch(part -> own.stream().anyMatch(part::leadsWhere))) {
            throw TransportAddress.refused(address, "it has the number of a worker of this process, and another"
                    + " address");
        }
        return true;
    }

    /** Returns whether an address is that of a worker of this process, and of another class loader. */
    static boolean isOfAnotherLoader(byte[] address) {
        return digest(address).equals(System.getProperty(property(TransportAddress.worker(address))));
    }

    /** Returns whether a worker of this process receives at a socket. */
    static boolean receivesAt(InetSocketAddress socket) {
        return anyPart(part -> part.is("tcp") && socket.equals(TcpAddress.of(part)));
    }

    /** Returns whether a worker of this process receives at the address of a transport. */
    static boolean receivesAt(int transport, ByteBuffer address) {
        return anyPart(part -> part.transport() == transport && part.address().equals(address));
    }

    private static boolean anyPart(Predicate<TransportAddress> condition) {
        return PARTS.values().stream().flatMap(Collection::stream).anyMatch(condition);
    }

    private static String property(long worker) {
        return PROPERTY + Long.toHexString(worker);
    }

    private static String digest(byte[] address) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(address));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each Java has SHA-256", e);
        }
    }
}
