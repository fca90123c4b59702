package io.reactorucx.core.shm;

import io.reactorucx.core.Ucx;
import io.reactorucx.core.ffi.UcpCompat;
import io.reactorucx.core.internal.Arguments;
import io.reactorucx.core.internal.process.ProcessState;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Zeroed memory of this process that other processes of the host can map to read, and cannot write: a file without a
 * name ({@code memfd_create}), which is sealed against a change of its size and against writers other than this
 * process.
 *
 * <p>A process that maps it keeps it readable by that, also when its owner has died or has freed it.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> the memory, and the descriptor of the file, end with the arena.
 * <b>Errors:</b> {@link IllegalArgumentException} for a size, {@link IllegalStateException} for an arena that is
 * closed; where the system has no such memory, or refuses it, the result is null.
 */
public final class SharedPages {

    /** Size of the number that only those know who may map the memory: in bytes, at random. */
    public static final int KEY_BYTES = 16;

    /** How many numbers of 64 bits the owner can show beside the memory. */
    public static final int WORDS = 2046;

    /** Words and key: a multiple of the page size of each system. */
    private static final long BESIDE_BYTES = 64 << 10;
    private static final long KEY_AT = (long) WORDS * Long.BYTES;
    private static final String NAME = "reactor-ucx";
    private static final String SHOWN = "/memfd:" + NAME;
    private static final SecureRandom RANDOM = new SecureRandom();
    /** The seals that a file needs to be mapped here: nobody can make it shorter, or take pages out of it. */
    private static final int NEEDED_SEALS = UcpCompat.F_SEAL_SHRINK | UcpCompat.F_SEAL_FUTURE_WRITE;
    /** From Linux 5.1 on nobody else can write; before, the last seal is unknown. */
    private static final int[] SEALS = {UcpCompat.F_SEAL_SHRINK | UcpCompat.F_SEAL_GROW
            | UcpCompat.F_SEAL_FUTURE_WRITE | UcpCompat.F_SEAL_SEAL,
        UcpCompat.F_SEAL_SHRINK | UcpCompat.F_SEAL_GROW | UcpCompat.F_SEAL_SEAL};

    private final MemorySegment memory;
    private final NativeBytes beside;
    private final int descriptor;
    private final byte[] key;

    private SharedPages(MemorySegment mapped, int descriptor, byte[] key) {
        long bytes = mapped.byteSize() - BESIDE_BYTES;
        this.memory = mapped.asSlice(0, bytes);
        this.beside = new NativeBytes(mapped.asSlice(bytes));
        this.descriptor = descriptor;
        this.key = key;
    }

    /**
     * Allocates memory.
     *
     * @param bytes a multiple of the system's page size
     * @param arena what it ends with
     * @return the memory, null when the system has none of this kind
     */
    public static @Nullable SharedPages allocate(long bytes, Arena arena) {
        checkSize(bytes);
        Objects.requireNonNull(arena, "arena");
        Ucx.ensureAvailable();
        long all = mappedBytes(bytes);
        int descriptor;
        if (!isPlausible(all)) {
            return null;
        }
        try (Arena call = Arena.ofConfined()) {
            descriptor = UcpCompat.memoryFile(call.allocateFrom(NAME));
        }
        if (descriptor < 0) {
            return null;
        }
        long address = UcpCompat.allocate(descriptor, all) == 0 ? UcpCompat.mapShared(descriptor, all, true) : -1;
        if (address == -1 || !seal(descriptor)) {
            end(address, all, descriptor);
            return null;
        }
        MemorySegment mapped;
        try {
            mapped = MemorySegment.ofAddress(address).reinterpret(all, arena, ignored -> end(address, all, descriptor));
        } catch (RuntimeException e) {
            end(address, all, descriptor);
            throw e;
        }
        UcpCompat.adviseLargePages(address, all);
        byte[] key = new byte[KEY_BYTES];
        RANDOM.nextBytes(key);
        MemorySegment.copy(key, 0, mapped, ValueLayout.JAVA_BYTE, bytes + KEY_AT, KEY_BYTES);
        return new SharedPages(mapped, descriptor, key);
    }

    /**
     * Returns what the system gives, and maps, for memory of a size: more than the memory, since words and key stand
     * beside it.
     *
     * @param bytes a size of memory
     * @return as many bytes for each mapping
     */
    public static long mappedBytes(long bytes) {
        return Math.addExact(bytes, BESIDE_BYTES);
    }

    private static void checkSize(long bytes) {
        Arguments.positive(bytes, "bytes");
        if (bytes % UcpCompat.pageSize() != 0 || bytes > Long.MAX_VALUE / 2) {
            throw new IllegalArgumentException("bytes " + bytes + ": must be a multiple of " + UcpCompat.pageSize()
                    + ", and at most " + Long.MAX_VALUE / 2);
        }
    }

    /**
     * Whether the system would give a process so much memory of its own: it refuses what it obviously does not have,
     * but for a file it goes on until it ends processes.
     */
    private static boolean isPlausible(long bytes) {
        long mapped = UcpCompat.map(bytes);
        if (mapped != -1) {
            UcpCompat.unmap(MemorySegment.ofAddress(mapped), bytes);
        }
        return mapped != -1;
    }

    private static boolean seal(int descriptor) {
        for (int seals : SEALS) {
            if (UcpCompat.addSeals(descriptor, seals) == 0) {
                return true;
            }
        }
        return false;
    }

    private static void end(long address, long bytes, int descriptor) {
        if (address != -1) {
            UcpCompat.unmap(MemorySegment.ofAddress(address), bytes);
        }
        int ignored = UcpCompat.close(descriptor);
    }

    /**
     * Maps memory of another process, or of this one, to read it. What the other process says is not trusted: the file
     * has to be one of this class and of this process's user, of the size and with the key, and it cannot become
     * shorter. It has to have all its memory, and be sealed so that none can be taken out of it, which needs Linux 5.1.
     *
     * @param owner the process whose memory it is
     * @param descriptor the {@link #descriptor()} there
     * @param bytes the size of its memory
     * @param key its {@link #key()}
     * @param arena what the mapping ends with
     * @return the memory, read-only; null when this process cannot see it or may not read it, and then the arena is to
     *     be closed
     */
    public static @Nullable SharedPages map(ProcessIdentity owner, int descriptor, long bytes, byte[] key,
            Arena arena) {
        Objects.requireNonNull(owner, "owner");
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(arena, "arena");
        checkSize(bytes);
        if (key.length != KEY_BYTES) {
            throw new IllegalArgumentException("key of " + key.length + " bytes: must have " + KEY_BYTES);
        }
        if (!ProcessIdentity.self().canWatch(owner) || descriptor < 0) {
            return null;
        }
        Path file = Path.of("/proc", String.valueOf(owner.id()), "fd", String.valueOf(descriptor));
        int opened = isShown(file) ? open(file) : -1;
        if (opened < 0) {
            return null;
        }
        long all = mappedBytes(bytes);
        long address;
        try {
            int seals = UcpCompat.seals(opened);
            boolean fixed = seals >= 0 && (seals & NEEDED_SEALS) == NEEDED_SEALS
                    // Again, because the other process may have put another file there meanwhile.
                    && isShown(Path.of("/proc/self/fd", String.valueOf(opened)));
            // A page that is not there would be made, and charged to this process, when it is read.
            boolean full = fixed && UcpCompat.fileBytes(opened) == all && UcpCompat.firstHole(opened) == all;
            address = full ? UcpCompat.mapShared(opened, all, false) : -1;
        } finally {
            int ignored = UcpCompat.close(opened);
        }
        if (address == -1) {
            return null;
        }
        MemorySegment mapped = mapped(address, all, arena).asReadOnly();
        boolean known = mapped.asSlice(bytes + KEY_AT, KEY_BYTES).mismatch(MemorySegment.ofArray(key)) == -1;
        return known ? new SharedPages(mapped, descriptor, key) : null;
    }

    private static MemorySegment mapped(long address, long all, Arena arena) {
        MemorySegment mapping;
        try {
            mapping = MemorySegment.ofAddress(address).reinterpret(all, arena,
                    ignored -> UcpCompat.unmap(MemorySegment.ofAddress(address), all));
        } catch (RuntimeException e) {
            UcpCompat.unmap(MemorySegment.ofAddress(address), all);
            throw e;
        }
        UcpCompat.adviseLargePages(address, all);
        return mapping;
    }

    /**
     * Whether it is a file as this class makes them, of the user that this process runs as: to open another one could
     * have an effect, and a process that may look at files of all users must not read those of a less trusted one.
     */
    private static boolean isShown(Path file) {
        try {
            return Files.readSymbolicLink(file).toString().startsWith(SHOWN)
                    && ProcessState.user() == (int) Files.getAttribute(file, "unix:uid");
        } catch (IOException | SecurityException | UnsupportedOperationException e) {
            return false;
        }
    }

    private static int open(Path file) {
        try (Arena call = Arena.ofConfined()) {
            return UcpCompat.openToRead(call.allocateFrom(file.toString()));
        }
    }

    /**
     * Reads a number that the owner shows; what is read of the memory afterwards is read later.
     *
     * @param index 0 to {@value #WORDS} - 1
     * @return the number, 0 at first
     */
    public long word(int index) {
        return beside.getAcquire(at(index));
    }

    /**
     * Shows a number to those that have mapped the memory, before anything that this thread writes later.
     *
     * @param index 0 to {@value #WORDS} - 1
     * @param value the number
     */
    public void word(int index, long value) {
        beside.setRelease(at(index), value);
        VarHandle.fullFence();
    }

    /**
     * Shows a number to those that have mapped the memory, after all that this thread has written before.
     *
     * @param index 0 to {@value #WORDS} - 1
     * @param value the number
     */
    public void publish(int index, long value) {
        beside.setRelease(at(index), value);
    }

    private static long at(int index) {
        return (long) Objects.checkIndex(index, WORDS) * Long.BYTES;
    }

    /** {@return the memory, which only its owner may write} */
    public MemorySegment memory() {
        return memory;
    }

    /** {@return the descriptor of the file in the owner's process} */
    public int descriptor() {
        return descriptor;
    }

    /** {@return the number that a process needs to map the memory, {@value #KEY_BYTES} bytes} */
    public byte[] key() {
        return key.clone();
    }
}
