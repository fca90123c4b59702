package io.reactorucx.core.internal.segment;

import io.reactorucx.core.internal.process.ProcessState;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A receive queue of UCX's transports over shared memory that this process has mapped: its own, or one of a peer that
 * it sends to. The layout is that of {@code uct_mm_fifo_ctl_t} and {@code uct_mm_fifo_element_t}, which is the same
 * from UCX 1.13 to 1.22, with the default sizes: 64 elements, and 256 from 1.16 on.
 *
 * <p>It is read and written by {@code /proc/self/mem}, where an address that is no longer mapped is an error and no
 * crash.
 *
 * <p>Thread: any.
 */
public final class SharedMemoryQueue {

    /** The numbers of elements that there are by default, powers of 2, and the size of each. */
    private static final int[] ELEMENTS = {64, 256};
    private static final int ELEMENT_BYTES = 128;

    private static final int ADDRESS_LENGTH_AT = 8;
    private static final int ADDRESS_FAMILY_AT = 12;
    private static final int ADDRESS_AT = 14;
    private static final int TAIL_AT = 128;
    private static final int OWNER_AT = 136;
    private static final int CONTROL_BYTES = 192;
    /** UCX allocates the pages that the used bytes and an alignment need. */
    private static final int ALIGNMENT_BYTES = 63;
    private static final int PAGE_BYTES = 4096;

    /** One byte; the length of the message follows, two bytes. */
    private static final int MESSAGE_ID_AT = 1;
    private static final byte WRITTEN = 1;
    private static final byte INLINE = 2;
    /** UCX has no handler for this id, and drops what comes for it. */
    private static final byte UNUSED_ID = 31;

    private static final long RECEIVER_SLEEPS = Long.MIN_VALUE;
    private static final int AF_UNIX = 1;
    private static final int MAX_ADDRESS_BYTES = 110;
    /** UCX compares head and tail as 32-bit numbers. */
    private static final long FAR_AHEAD = 1L << 30;

    private static final Path MAPS = Path.of("/proc/self/maps");
    private static final String MEMORY = "/proc/self/mem";

    private final long address;
    private final int elements;
    private final ByteBuffer content;

    private SharedMemoryQueue(long address, int elements, ByteBuffer content) {
        this.address = address;
        this.elements = elements;
        this.content = content;
    }

    private static int usedBytes(int elements) {
        return CONTROL_BYTES + elements * ELEMENT_BYTES;
    }

    /** Returns all queues that this process has mapped now, as they are now. */
    public static List<SharedMemoryQueue> mapped() throws IOException {
        List<SharedMemoryQueue> queues = new ArrayList<>();
        try (RandomAccessFile file = new RandomAccessFile(MEMORY, "r")) {
            for (String line : Files.readAllLines(MAPS)) {
                SharedMemoryQueue queue = ofMapping(file.getChannel(), line);
                if (queue != null) {
                    queues.add(queue);
                }
            }
        }
        return queues;
    }

    /**
     * Returns the names of the datagram sockets by which senders wake up the receivers of this process's own queues,
     * whatever the sizes of those. The kernel has chosen the names, which begin with a zero byte in place of a path.
     */
    public static Set<String> ownSignalSockets() throws IOException {
        Set<String> names = new HashSet<>();
        try (RandomAccessFile file = new RandomAccessFile(MEMORY, "r")) {
            for (String line : Files.readAllLines(MAPS)) {
                if (isOfSharedMemory(line)) {
                    ByteBuffer control = ByteBuffer.allocate(CONTROL_BYTES).order(ByteOrder.LITTLE_ENDIAN);
                    try {
                        file.getChannel().read(control, begin(line));
                    } catch (IOException e) {
                        continue; // Unmapped meanwhile.
                    }
                    int length = control.getInt(ADDRESS_LENGTH_AT) - Short.BYTES;
                    if (control.getInt(OWNER_AT) == ProcessState.self() && length > 1
                            && length <= MAX_ADDRESS_BYTES - Short.BYTES
                            && control.getShort(ADDRESS_FAMILY_AT) == AF_UNIX && control.get(ADDRESS_AT) == 0) {
                        names.add(new String(control.array(), ADDRESS_AT + 1, length - 1, StandardCharsets.ISO_8859_1));
                    }
                }
            }
        }
        return names;
    }

    private static boolean isOfSharedMemory(String mapping) {
        return mapping.contains("/SYSV") || mapping.contains("/dev/shm/ucx_shm_posix");
    }

    private static long begin(String mapping) {
        return Long.parseUnsignedLong(mapping, 0, mapping.indexOf('-'), 16);
    }

    /** Returns the queue in a mapping, null when it has none. */
    private static @Nullable SharedMemoryQueue ofMapping(FileChannel memory, String mapping) {
        if (!isOfSharedMemory(mapping)) {
            return null;
        }
        long begin = begin(mapping);
        long size = Long.parseUnsignedLong(mapping, mapping.indexOf('-') + 1, mapping.indexOf(' '), 16) - begin;
        for (int elements : ELEMENTS) {
            long pages = Math.ceilDiv(usedBytes(elements) + ALIGNMENT_BYTES, PAGE_BYTES);
            if (size == pages * PAGE_BYTES) {
                return read(memory, begin, elements);
            }
        }
        return null;
    }

    /** Returns the queue at an address; null when there is none, or it has just been unmapped. */
    private static @Nullable SharedMemoryQueue read(FileChannel memory, long address, int elements) {
        ByteBuffer bytes = ByteBuffer.allocate(usedBytes(elements)).order(ByteOrder.LITTLE_ENDIAN);
        try {
            if (memory.read(bytes, address) < bytes.capacity()) {
                return null;
            }
        } catch (IOException e) {
            return null;
        }
        SharedMemoryQueue queue = new SharedMemoryQueue(address, elements, bytes);
        return queue.isPlausible() ? queue : null;
    }

    private boolean isPlausible() {
        int addressBytes = content.getInt(ADDRESS_LENGTH_AT);
        return addressBytes > Short.BYTES && addressBytes <= MAX_ADDRESS_BYTES
                && content.getShort(ADDRESS_FAMILY_AT) == AF_UNIX && owner() > 0 && tail() >= 0
                && (int) (head() - tail()) <= elements;
    }

    /** Returns where it is mapped. */
    public long address() {
        return address;
    }

    /** Returns the id of the process that receives from it. */
    public int owner() {
        return content.getInt(OWNER_AT);
    }

    private long head() {
        return content.getLong(0) & ~RECEIVER_SLEEPS;
    }

    private long tail() {
        return content.getLong(TAIL_AT);
    }

    /**
     * Returns the number of the first element that a sender has taken and not written yet, where the receiver waits; -1
     * when there is none.
     */
    public long firstUnwritten() {
        for (long number = tail(); number < head(); number++) {
            boolean written = (content.get(at(number)) & WRITTEN) != 0;
            if (written != isOddRound(number)) {
                return number;
            }
        }
        return -1;
    }

    private int at(long number) {
        return CONTROL_BYTES + (int) (number & elements - 1) * ELEMENT_BYTES;
    }

    private boolean isOddRound(long number) {
        return (number & elements) != 0;
    }

    /**
     * Writes an element in the place of its sender, as an empty message that UCX drops. Returns whether that was done:
     * not when the element has been written meanwhile.
     */
    public boolean skip(long number) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(MEMORY, "rw")) {
            SharedMemoryQueue now = read(file.getChannel(), address, elements);
            if (now == null || now.owner() != owner() || now.firstUnwritten() != number) {
                return false;
            }
            long element = address + at(number);
            ByteBuffer rest = ByteBuffer.allocate(1 + Short.BYTES).put(UNUSED_ID).putShort((short) 0).flip();
            file.getChannel().write(rest, element + MESSAGE_ID_AT);
            // The flags come last: the receiver reads the rest once they say that it is written.
            byte flags = (byte) (INLINE | (isOddRound(number) ? WRITTEN : 0));
            file.getChannel().write(ByteBuffer.allocate(1).put(flags).flip(), element);
            return true;
        }
    }

    /** Returns whether senders find no room in it. */
    public boolean isFull() {
        return (int) (head() - tail()) >= elements;
    }

    /** Returns whether it was emptied by {@link #discard()}. */
    public boolean isDiscarded() {
        return (int) (head() - tail()) < 0;
    }

    /**
     * Says in the place of a receiver that it has received all, and very much more, so that what its senders still have
     * for it leaves, and their operations end.
     */
    public void discard() throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(MEMORY, "rw")) {
            SharedMemoryQueue now = read(file.getChannel(), address, elements);
            if (now != null && now.owner() == owner() && !now.isDiscarded()) {
                ByteBuffer tail = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(now.head() + FAR_AHEAD).flip();
                file.getChannel().write(tail, address + TAIL_AT);
            }
        }
    }
}
