package io.reactorucx.core;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * How a worker is reached by one of its transports, as a part of its address says. The layout is that of version 1
 * ({@code ucp_address_unpack}), which UCX 1.13 to 1.22 make by default.
 *
 * @param transport a checksum of the transport's name
 * @param device the address of its network device, or of its host
 * @param overhead seconds per message
 * @param bandwidth bytes a second
 * @param latency seconds
 * @param flags what the transport can do, and its priority in the lowest 8 bits
 * @param address where the transport receives
 */
record TransportAddress(int transport, ByteBuffer device, float overhead, float bandwidth, float latency, int flags,
        ByteBuffer address) {

    /** The transport is reached by its own address, without one for each endpoint. */
    static final int CONNECTS_TO_ADDRESS = 1 << 16;

    private static final int VERSION_MASK = 0xf;
    private static final int HAS_NAME = 1 << 4;
    private static final int HAS_CLIENT_ID = 1 << 6;
    private static final int NO_TRANSPORTS = 0xff;
    private static final int LAST = 0x80;
    private static final int WITHOUT_TRANSPORTS = 0x80;
    private static final int HAS_PATHS = 0x40;
    private static final int HAS_SYSTEM_DEVICE = 0x20;
    private static final int HAS_ENDPOINT_ADDRESS = 0x40;
    private static final int DEVICE_LENGTH_MASK = 0x1f;
    private static final int LENGTH_MASK = 0x3f;
    private static final int CRC16_POLYNOMIAL = 0x8408;
    /** What UCX has room for. */
    private static final int MAX_TRANSPORTS = 128;

    /** Returns whether an address has the version whose layout this is. */
    static boolean isKnown(byte[] workerAddress) {
        return (workerAddress[0] & VERSION_MASK) == 0;
    }

    /** Returns the parts of a worker's address. */
    static List<TransportAddress> parse(byte[] workerAddress) {
        ByteBuffer rest = ByteBuffer.wrap(workerAddress).order(ByteOrder.nativeOrder());
        try {
            List<TransportAddress> parts = parse(rest);
            if (rest.hasRemaining()) {
                throw refused(workerAddress, rest.remaining() + " bytes behind its end");
            }
            return parts;
        } catch (BufferUnderflowException e) {
            throw refused(workerAddress, "it is cut off");
        }
    }

    static IllegalArgumentException refused(byte[] workerAddress, String why) {
        return new IllegalArgumentException("workerAddress of " + workerAddress.length + " bytes: " + why);
    }

    private static List<TransportAddress> parse(ByteBuffer rest) {
        int header = rest.get();
        rest.getLong();
        if ((header & HAS_CLIENT_ID) != 0) {
            rest.getLong();
        }
        if ((header & HAS_NAME) != 0) {
            take(rest, rest.get() & 0xff);
        }
        List<TransportAddress> parts = new ArrayList<>();
        if (rest.hasRemaining() && (rest.get(rest.position()) & 0xff) == NO_TRANSPORTS) {
            rest.get();
            return parts;
        }
        boolean lastDevice;
        do {
            boolean lastTransport = (rest.get() & WITHOUT_TRANSPORTS) != 0;
            int length = rest.get();
            lastDevice = (length & LAST) != 0;
            if ((length & HAS_PATHS) != 0 && rest.get() == 0) {
                throw refused(rest.array(), "a device without paths");
            }
            if ((length & HAS_SYSTEM_DEVICE) != 0) {
                rest.get();
            }
            ByteBuffer device = take(rest, length & DEVICE_LENGTH_MASK);
            while (!lastTransport) {
                lastTransport = parse(rest, device, parts);
            }
        } while (!lastDevice);
        return parts;
    }

    /** Takes one part, and returns whether it is the last one of its device. */
    private static boolean parse(ByteBuffer rest, ByteBuffer device, List<TransportAddress> parts) {
        int transport = rest.getShort() & 0xffff;
        float overhead = rest.getFloat();
        float bandwidth = rest.getFloat();
        float latency = rest.getFloat();
        int flags = rest.getInt();
        int length = rest.get();
        if ((length & HAS_ENDPOINT_ADDRESS) != 0) {
            throw refused(rest.array(), "addresses of endpoints, which a worker's address has not");
        }
        if (parts.size() == MAX_TRANSPORTS) {
            throw refused(rest.array(), "more than " + MAX_TRANSPORTS + " transports");
        }
        parts.add(new TransportAddress(transport, device, overhead, bandwidth, latency, flags,
                take(rest, length & LENGTH_MASK)));
        return (length & LAST) != 0;
    }

    private static ByteBuffer take(ByteBuffer rest, int bytes) {
        if (rest.remaining() < bytes) {
            throw new BufferUnderflowException();
        }
        ByteBuffer taken = rest.slice(rest.position(), bytes).order(ByteOrder.nativeOrder());
        rest.position(rest.position() + bytes);
        return taken;
    }

    boolean is(String name) {
        return transport == checksum(name);
    }

    /** CRC-16-CCITT, as {@code ucs_crc16_string} computes it. */
    static int checksum(String name) {
        int crc = 0xffff;
        for (byte each : name.getBytes(StandardCharsets.US_ASCII)) {
            crc ^= each & 0xff;
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                crc = crc >>> 1 ^ ((crc & 1) == 0 ? 0 : CRC16_POLYNOMIAL);
            }
        }
        return ~crc & 0xffff;
    }
}
