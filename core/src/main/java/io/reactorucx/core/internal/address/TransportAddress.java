package io.reactorucx.core.internal.address;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

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
public record TransportAddress(int transport, ByteBuffer device, float overhead, float bandwidth, float latency,
        int flags, ByteBuffer address) {

    /** The transport is reached by its own address, without one for each endpoint. */
    public static final int CONNECTS_TO_ADDRESS = 1 << 16;

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
    /** The number of transports that UCX has room for in an address. */
    private static final int MAX_TRANSPORTS = 128;

    /** Returns whether an address has the version whose layout this is. */
    static boolean isKnown(byte[] workerAddress) {
        return (workerAddress[0] & VERSION_MASK) == 0;
    }

    /** Returns the parts of a worker's address. */
    public static List<TransportAddress> parse(byte[] workerAddress) {
        return devices(workerAddress).stream().flatMap(device -> device.parts().stream()).toList();
    }

    /**
     * Returns the parts of the address of a worker of this process; none where it has another layout, as those of the
     * mode UNIFIED_MODE have.
     */
    static List<TransportAddress> parseOwn(byte[] workerAddress) {
        try {
            return isKnown(workerAddress) ? parse(workerAddress) : List.of();
        } catch (IllegalArgumentException e) {
            return List.of();
        }
    }

    /** Returns the number that identifies the worker, of an address whose layout is known. */
    static long worker(byte[] workerAddress) {
        return ByteBuffer.wrap(workerAddress).order(ByteOrder.nativeOrder()).getLong(1);
    }

    /** Returns an address without the devices of some parts. */
    static byte[] without(byte[] workerAddress, Predicate<TransportAddress> left) {
        List<Device> devices = devices(workerAddress);
        List<Device> kept = devices.stream().filter(device -> device.parts().stream().noneMatch(left)).toList();
        if (kept.size() == devices.size()) {
            return workerAddress;
        }
        ByteBuffer rest = ByteBuffer.allocate(workerAddress.length);
        rest.put(workerAddress, 0, devices.getFirst().start());
        for (Device device : kept) {
            int lengthAt = rest.position() + device.lengthAt() - device.start();
            rest.put(workerAddress, device.start(), device.end() - device.start());
            if (device == kept.getLast()) {
                rest.put(lengthAt, (byte) (rest.get(lengthAt) | LAST));
            }
        }
        if (kept.isEmpty()) {
            rest.put((byte) NO_TRANSPORTS);
        }
        return Arrays.copyOf(rest.array(), rest.position());
    }

    /**
     * A device in a worker's address.
     *
     * @param start where it starts
     * @param lengthAt where its length is, with the mark of the last device
     * @param end where it ends
     * @param parts its transports
     */
    private record Device(int start, int lengthAt, int end, List<TransportAddress> parts) {
    }

    private static List<Device> devices(byte[] workerAddress) {
        ByteBuffer rest = ByteBuffer.wrap(workerAddress).order(ByteOrder.nativeOrder());
        try {
            List<Device> devices = devices(rest);
            if (rest.hasRemaining()) {
                throw refused(workerAddress, rest.remaining() + " bytes behind its end");
            }
            return devices;
        } catch (BufferUnderflowException e) {
            throw refused(workerAddress, "it is cut off");
        }
    }

    static IllegalArgumentException refused(byte[] workerAddress, String why) {
        return new IllegalArgumentException("workerAddress of " + workerAddress.length + " bytes: " + why);
    }

    private static List<Device> devices(ByteBuffer rest) {
        int header = rest.get();
        rest.getLong();
        if ((header & HAS_CLIENT_ID) != 0) {
            rest.getLong();
        }
        if ((header & HAS_NAME) != 0) {
            take(rest, rest.get() & 0xff);
        }
        List<Device> devices = new ArrayList<>();
        if (rest.hasRemaining() && (rest.get(rest.position()) & 0xff) == NO_TRANSPORTS) {
            rest.get();
            return devices;
        }
        int count = 0;
        boolean lastDevice;
        do {
            int start = rest.position();
            boolean lastTransport = (rest.get() & WITHOUT_TRANSPORTS) != 0;
            int lengthAt = rest.position();
            int length = rest.get();
            lastDevice = (length & LAST) != 0;
            if ((length & HAS_PATHS) != 0 && rest.get() == 0) {
                throw refused(rest.array(), "a device without paths");
            }
            if ((length & HAS_SYSTEM_DEVICE) != 0) {
                rest.get();
            }
            ByteBuffer device = take(rest, length & DEVICE_LENGTH_MASK);
            List<TransportAddress> parts = new ArrayList<>();
            while (!lastTransport) {
                if (count++ == MAX_TRANSPORTS) {
                    throw refused(rest.array(), "more than " + MAX_TRANSPORTS + " transports");
                }
                lastTransport = parse(rest, device, parts);
            }
            devices.add(new Device(start, lengthAt, rest.position(), parts));
        } while (!lastDevice);
        return devices;
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

    /** Returns whether two parts lead to the same place. */
    boolean leadsWhere(TransportAddress other) {
        return transport == other.transport && device.equals(other.device) && address.equals(other.address);
    }

    public boolean is(String name) {
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
