package io.reactorucx.core.ffi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Symbols that the whitelist of the generated bindings lacks, bound by hand in the same shape.
 * Each one is bound on its first call, so that a library without it still works for the rest.
 */
public final class UcpCompat {

    /** {@snippet lang=c : #define LC_NUMERIC_MASK (1 << LC_NUMERIC) } */
    public static final int LC_NUMERIC_MASK = 1 << 1;

    /** {@snippet lang=c : UCM_EVENT_VM_MAPPED = UCS_BIT(16) } */
    public static final int UCM_EVENT_VM_MAPPED = 1 << 16;
    /** {@snippet lang=c : UCM_EVENT_VM_UNMAPPED = UCS_BIT(17) } */
    public static final int UCM_EVENT_VM_UNMAPPED = 1 << 17;

    /** UCS_ASYNC_MODE_THREAD_SPINLOCK. */
    private static final int UCS_ASYNC_MODE_THREAD = 1;

    private static final int EFD_CLOEXEC = 02000000;
    private static final int F_DUPFD_CLOEXEC = 1030;
    /** MAP_PRIVATE, MAP_ANONYMOUS, MAP_NORESERVE and MAP_FIXED_NOREPLACE. */
    private static final int MAP_RESERVE = 0x2 | 0x20 | 0x4000 | 0x100000;

    private static final int PROT_READ_WRITE = 0x1 | 0x2;
    /** MAP_PRIVATE and MAP_ANONYMOUS. */
    private static final int MAP_OWN = 0x2 | 0x20;
    private static final int MADV_HUGEPAGE = 14;
    private static final int PROT_READ = 0x1;
    private static final int MAP_SHARED = 0x1;
    private static final int MAP_POPULATE = 0x8000;
    /** O_RDONLY, O_NONBLOCK, O_NOCTTY and O_CLOEXEC. */
    private static final int OPEN_TO_READ = 04000 | 0400 | 02000000;
    /** MFD_CLOEXEC and MFD_ALLOW_SEALING. */
    private static final int MFD_SEALABLE = 0x1 | 0x2;
    /** Since Linux 6.3, which warns without it. */
    private static final int MFD_NOEXEC_SEAL = 0x8;
    private static final int F_ADD_SEALS = 1033;
    private static final int F_GET_SEALS = 1034;
    private static final int SEEK_END = 2;
    private static final int SEEK_HOLE = 4;

    /** {@snippet lang=c : #define F_SEAL_SEAL 0x0001 } */
    public static final int F_SEAL_SEAL = 0x1;
    /** {@snippet lang=c : #define F_SEAL_SHRINK 0x0002 } */
    public static final int F_SEAL_SHRINK = 0x2;
    /** {@snippet lang=c : #define F_SEAL_GROW 0x0004 } */
    public static final int F_SEAL_GROW = 0x4;
    /** {@snippet lang=c : #define F_SEAL_FUTURE_WRITE 0x0010 } */
    public static final int F_SEAL_FUTURE_WRITE = 0x10;

    private static final int SOL_SOCKET = 1;
    /** SO_GET_FILTER has the same number. */
    private static final int SO_ATTACH_FILTER = 26;
    private static final int SO_DETACH_FILTER = 27;
    private static final int SO_ACCEPTCONN = 30;
    private static final int MSG_DONTWAIT = 0x40;
    private static final int AF_NETLINK = 16;
    private static final int SOCK_DGRAM_CLOEXEC = 2 | 02000000;
    private static final int NETLINK_SOCK_DIAG = 4;

    private UcpCompat() {
    }

    private static final class newlocale {
        static final MethodHandle HANDLE = Linker.nativeLinker()
                .downcallHandle(ucx_h.SYMBOL_LOOKUP.findOrThrow("newlocale"),
                FunctionDescriptor.of(ucx_h.C_POINTER, JAVA_INT, ucx_h.C_POINTER, ucx_h.C_POINTER));
    }

    private static final class uselocale {
        static final MethodHandle HANDLE = Linker.nativeLinker()
                .downcallHandle(ucx_h.SYMBOL_LOOKUP.findOrThrow("uselocale"),
                FunctionDescriptor.of(ucx_h.C_POINTER, ucx_h.C_POINTER));
    }

    private static final class fmemopen {
        static final MethodHandle HANDLE = Linker.nativeLinker()
                .downcallHandle(ucx_h.SYMBOL_LOOKUP.findOrThrow("fmemopen"),
                FunctionDescriptor.of(ucx_h.C_POINTER, ucx_h.C_POINTER, JAVA_LONG, ucx_h.C_POINTER));
    }

    private static final class unsetenv {
        static final MethodHandle HANDLE = Linker.nativeLinker()
                .downcallHandle(ucx_h.SYMBOL_LOOKUP.findOrThrow("unsetenv"),
                FunctionDescriptor.of(JAVA_INT, ucx_h.C_POINTER));
    }

    private static final class fcntl {
        static final MethodHandle HANDLE = Linker.nativeLinker()
                .downcallHandle(ucx_h.SYMBOL_LOOKUP.findOrThrow("fcntl"),
                FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT), Linker.Option.firstVariadicArg(2));
    }

    private static final class close {
        static final MethodHandle HANDLE = Linker.nativeLinker()
                .downcallHandle(ucx_h.SYMBOL_LOOKUP.findOrThrow("close"),
                FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    }

    private static final class getpagesize {
        static final MethodHandle HANDLE = Linker.nativeLinker()
                .downcallHandle(ucx_h.SYMBOL_LOOKUP.findOrThrow("getpagesize"),
                FunctionDescriptor.of(JAVA_INT));
    }

    private static final class mmap {
        static final MethodHandle HANDLE = Linker.nativeLinker().downcallHandle(ucx_h.SYMBOL_LOOKUP.findOrThrow("mmap"),
                FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
    }

    private static final class madvise {
        static final MethodHandle HANDLE = Linker.nativeLinker()
                .downcallHandle(ucx_h.SYMBOL_LOOKUP.findOrThrow("madvise"),
                FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
    }

    private static final class munmap {
        static final MethodHandle HANDLE = Linker.nativeLinker()
                .downcallHandle(ucx_h.SYMBOL_LOOKUP.findOrThrow("munmap"),
                FunctionDescriptor.of(JAVA_INT, ucx_h.C_POINTER, JAVA_LONG));
    }

    private static final class memfd_create {
        static final MethodHandle HANDLE = Linker.nativeLinker()
                .downcallHandle(ucx_h.SYMBOL_LOOKUP.findOrThrow("memfd_create"),
                FunctionDescriptor.of(JAVA_INT, ucx_h.C_POINTER, JAVA_INT));
    }

    private static final class posix_fallocate {
        static final MethodHandle HANDLE = Linker.nativeLinker()
                .downcallHandle(ucx_h.SYMBOL_LOOKUP.findOrThrow("posix_fallocate"),
                FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
    }

    private static final class lseek {
        static final MethodHandle HANDLE = Linker.nativeLinker()
                .downcallHandle(ucx_h.SYMBOL_LOOKUP.findOrThrow("lseek"),
                FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT));
    }

    private static final class open {
        static final MethodHandle HANDLE = Linker.nativeLinker()
                .downcallHandle(ucx_h.SYMBOL_LOOKUP.findOrThrow("open"),
                FunctionDescriptor.of(JAVA_INT, ucx_h.C_POINTER, JAVA_INT), Linker.Option.firstVariadicArg(2));
    }

    private static final class ucm_set_external_event {
        static final MethodHandle HANDLE = Linker.nativeLinker().downcallHandle(
                ucx_h.SYMBOL_LOOKUP.findOrThrow("ucm_set_external_event"), FunctionDescriptor.ofVoid(JAVA_INT));
    }

    private static final class ucm_vm_munmap {
        static final MethodHandle HANDLE = Linker.nativeLinker().downcallHandle(
                ucx_h.SYMBOL_LOOKUP.findOrThrow("ucm_vm_munmap"), FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG));
    }

    private static final class setsockopt {
        static final MethodHandle HANDLE = Linker.nativeLinker()
                .downcallHandle(ucx_h.SYMBOL_LOOKUP.findOrThrow("setsockopt"),
                FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ucx_h.C_POINTER, JAVA_INT));
    }

    private static final class getsockopt {
        static final MethodHandle HANDLE = Linker.nativeLinker()
                .downcallHandle(ucx_h.SYMBOL_LOOKUP.findOrThrow("getsockopt"),
                FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ucx_h.C_POINTER, ucx_h.C_POINTER));
    }

    private static final class getsockname {
        static final MethodHandle HANDLE = Linker.nativeLinker()
                .downcallHandle(ucx_h.SYMBOL_LOOKUP.findOrThrow("getsockname"),
                FunctionDescriptor.of(JAVA_INT, JAVA_INT, ucx_h.C_POINTER, ucx_h.C_POINTER));
    }

    private static final class recv {
        static final MethodHandle HANDLE = Linker.nativeLinker()
                .downcallHandle(ucx_h.SYMBOL_LOOKUP.findOrThrow("recv"),
                FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ucx_h.C_POINTER, JAVA_LONG, JAVA_INT));
    }

    private static final class sendto {
        static final MethodHandle HANDLE = Linker.nativeLinker()
                .downcallHandle(ucx_h.SYMBOL_LOOKUP.findOrThrow("sendto"),
                FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ucx_h.C_POINTER, JAVA_LONG, JAVA_INT, ucx_h.C_POINTER,
                        JAVA_INT));
    }

    private static final class socket {
        static final MethodHandle HANDLE = Linker.nativeLinker()
                .downcallHandle(ucx_h.SYMBOL_LOOKUP.findOrThrow("socket"),
                FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
    }

    private static final class eventfd {
        static final MethodHandle HANDLE = Linker.nativeLinker()
                .downcallHandle(ucx_h.SYMBOL_LOOKUP.findOrThrow("eventfd"),
                FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    }

    private static final class ucs_async_set_event_handler {
        static final MethodHandle HANDLE = Linker.nativeLinker().downcallHandle(
                ucx_h.SYMBOL_LOOKUP.findOrThrow("ucs_async_set_event_handler"),
                FunctionDescriptor.of(JAVA_BYTE, JAVA_INT, JAVA_INT, JAVA_INT, ucx_h.C_POINTER, ucx_h.C_POINTER,
                        ucx_h.C_POINTER));
    }

    private static final class ucs_debug_disable_signals {
        static final MethodHandle HANDLE = Linker.nativeLinker().downcallHandle(
                ucx_h.SYMBOL_LOOKUP.findOrThrow("ucs_debug_disable_signals"), FunctionDescriptor.ofVoid());
    }

    /** {@snippet lang=c : locale_t newlocale(int category_mask, const char *locale, locale_t base) } */
    public static MemorySegment newlocale(int categoryMask, MemorySegment locale, MemorySegment base) {
        try {
            return (MemorySegment) newlocale.HANDLE.invokeExact(categoryMask, locale, base);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@snippet lang=c : locale_t uselocale(locale_t locale) } */
    public static MemorySegment uselocale(MemorySegment locale) {
        try {
            return (MemorySegment) uselocale.HANDLE.invokeExact(locale);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@snippet lang=c : FILE *fmemopen(void *buf, size_t size, const char *mode) } */
    public static MemorySegment fmemopen(MemorySegment buffer, MemorySegment mode) {
        try {
            return (MemorySegment) fmemopen.HANDLE.invokeExact(buffer, buffer.byteSize(), mode);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@snippet lang=c : int unsetenv(const char *name) } */
    public static int unsetenv(MemorySegment name) {
        try {
            return (int) unsetenv.HANDLE.invokeExact(name);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@snippet lang=c : int fcntl(int fd, F_DUPFD_CLOEXEC, 0) } */
    public static int duplicate(int descriptor) {
        try {
            return (int) fcntl.HANDLE.invokeExact(descriptor, F_DUPFD_CLOEXEC, 0);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@snippet lang=c : int close(int fd) } */
    public static int close(int descriptor) {
        try {
            return (int) close.HANDLE.invokeExact(descriptor);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@snippet lang=c : int getpagesize(void) } */
    public static int pageSize() {
        try {
            return (int) getpagesize.HANDLE.invokeExact();
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /**
     * {@snippet lang=c :
     * mmap(address, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0)
     * }
     *
     * @param address where, a multiple of the page size
     * @param bytes how much, a multiple of the page size
     * @return whether nothing was there and it is reserved now
     */
    public static boolean reserve(long address, long bytes) {
        try {
            long result = (long) mmap.HANDLE.invokeExact(address, bytes, 0, MAP_RESERVE, -1, 0L);
            if (result != address && result != -1) {
                // A kernel before 4.17 takes the address for a hint.
                unmap(MemorySegment.ofAddress(result), bytes);
            }
            return result == address;
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /**
     * {@snippet lang=c : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) }
     *
     * @param bytes how much, a multiple of the page size
     * @return the address, -1 when there is no memory
     */
    public static long map(long bytes) {
        try {
            return (long) mmap.HANDLE.invokeExact(0L, bytes, PROT_READ_WRITE, MAP_OWN, -1, 0L);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /**
     * {@snippet lang=c : madvise(address, bytes, MADV_HUGEPAGE) }, which a kernel without large pages refuses without
     * harm.
     *
     * @param address a multiple of the page size
     * @param bytes how much
     */
    public static void adviseLargePages(long address, long bytes) {
        try {
            int ignored = (int) madvise.HANDLE.invokeExact(address, bytes, MADV_HUGEPAGE);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /**
     * {@snippet lang=c : memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL) }, the last where the
     * kernel knows it.
     *
     * @param name for {@code /proc/PID/fd}
     * @return a descriptor, -1 when there is no memory or the system forbids it
     */
    public static int memoryFile(MemorySegment name) {
        try {
            int descriptor = (int) memfd_create.HANDLE.invokeExact(name, MFD_SEALABLE | MFD_NOEXEC_SEAL);
            return descriptor >= 0 ? descriptor : (int) memfd_create.HANDLE.invokeExact(name, MFD_SEALABLE);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@snippet lang=c : posix_fallocate(descriptor, 0, bytes) } */
    public static int allocate(int descriptor, long bytes) {
        try {
            return (int) posix_fallocate.HANDLE.invokeExact(descriptor, 0L, bytes);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@snippet lang=c : lseek(descriptor, 0, SEEK_END) } */
    public static long fileBytes(int descriptor) {
        try {
            return (long) lseek.HANDLE.invokeExact(descriptor, 0L, SEEK_END);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@snippet lang=c : lseek(descriptor, 0, SEEK_HOLE) }: the end of a file that has all its memory */
    public static long firstHole(int descriptor) {
        try {
            return (long) lseek.HANDLE.invokeExact(descriptor, 0L, SEEK_HOLE);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@snippet lang=c : fcntl(descriptor, F_ADD_SEALS, seals) } */
    public static int addSeals(int descriptor, int seals) {
        try {
            return (int) fcntl.HANDLE.invokeExact(descriptor, F_ADD_SEALS, seals);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@snippet lang=c : fcntl(descriptor, F_GET_SEALS, 0) } */
    public static int seals(int descriptor) {
        try {
            return (int) fcntl.HANDLE.invokeExact(descriptor, F_GET_SEALS, 0);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@snippet lang=c : open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) } */
    public static int openToRead(MemorySegment path) {
        try {
            return (int) open.HANDLE.invokeExact(path, OPEN_TO_READ);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /**
     * {@snippet lang=c : mmap(NULL, bytes, PROT_READ, MAP_SHARED, descriptor, 0) }, or writable and with all pages
     * present: {@snippet lang=c : PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE }
     *
     * @param descriptor of a file
     * @param bytes how much, a multiple of the page size
     * @param writable whether it may be written
     * @return the address, -1 when that is not possible
     */
    public static long mapShared(int descriptor, long bytes, boolean writable) {
        try {
            return (long) mmap.HANDLE.invokeExact(0L, bytes, writable ? PROT_READ_WRITE : PROT_READ,
                    writable ? MAP_SHARED | MAP_POPULATE : MAP_SHARED, descriptor, 0L);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@snippet lang=c : int munmap(void *address, size_t bytes) } */
    public static void unmap(MemorySegment address, long bytes) {
        try {
            int ignored = (int) munmap.HANDLE.invokeExact(address, bytes);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@snippet lang=c : setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, program, bytes) } */
    public static int attachFilter(int descriptor, MemorySegment program, int bytes) {
        try {
            return (int) setsockopt.HANDLE.invokeExact(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, program, bytes);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@snippet lang=c : getsockopt(descriptor, SOL_SOCKET, SO_GET_FILTER, NULL, length) } */
    public static int filterLength(int descriptor, MemorySegment length) {
        try {
            return (int) getsockopt.HANDLE.invokeExact(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, MemorySegment.NULL,
                    length);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@snippet lang=c : setsockopt(descriptor, SOL_SOCKET, SO_DETACH_FILTER, &any, sizeof(int)) } */
    public static int detachFilter(int descriptor, MemorySegment any) {
        try {
            return (int) setsockopt.HANDLE.invokeExact(descriptor, SOL_SOCKET, SO_DETACH_FILTER, any,
                    Integer.BYTES);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@snippet lang=c : getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, value, length) } */
    public static int listens(int descriptor, MemorySegment value, MemorySegment length) {
        try {
            return (int) getsockopt.HANDLE.invokeExact(descriptor, SOL_SOCKET, SO_ACCEPTCONN, value, length);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@snippet lang=c : int getsockname(int descriptor, struct sockaddr *address, socklen_t *length) } */
    public static int socketAddress(int descriptor, MemorySegment address, MemorySegment length) {
        try {
            return (int) getsockname.HANDLE.invokeExact(descriptor, address, length);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@snippet lang=c : recv(descriptor, buffer, bytes, MSG_DONTWAIT) } */
    public static long receiveNow(int descriptor, MemorySegment buffer, long bytes) {
        try {
            return (long) recv.HANDLE.invokeExact(descriptor, buffer, bytes, MSG_DONTWAIT);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@snippet lang=c : sendto(descriptor, buffer, bytes, MSG_DONTWAIT, address, addressBytes) } */
    public static long sendNow(int descriptor, MemorySegment buffer, long bytes, MemorySegment address,
            int addressBytes) {
        try {
            return (long) sendto.HANDLE.invokeExact(descriptor, buffer, bytes, MSG_DONTWAIT, address, addressBytes);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@snippet lang=c : socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG) } */
    public static int socketDiagnosis() {
        try {
            return (int) socket.HANDLE.invokeExact(AF_NETLINK, SOCK_DGRAM_CLOEXEC, NETLINK_SOCK_DIAG);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@snippet lang=c : void ucm_set_external_event(int events) } */
    public static void ucm_set_external_event(int events) {
        try {
            ucm_set_external_event.HANDLE.invokeExact(events);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@snippet lang=c : void ucm_vm_munmap(void *addr, size_t length) } */
    public static void ucm_vm_munmap(long addr, long length) {
        try {
            ucm_vm_munmap.HANDLE.invokeExact(addr, length);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@snippet lang=c : int eventfd(0, EFD_CLOEXEC) } */
    public static int eventDescriptor() {
        try {
            return (int) eventfd.HANDLE.invokeExact(0, EFD_CLOEXEC);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /**
     * {@snippet lang=c :
     * ucs_async_set_event_handler(UCS_ASYNC_MODE_THREAD_SPINLOCK, descriptor, 0, ucs_empty_function, NULL, NULL)
     * }
     *
     * @param descriptor what UCX's thread shall watch, for no event
     * @return a {@code ucs_status_t}
     */
    public static byte watchForNothing(int descriptor) {
        try {
            return (byte) ucs_async_set_event_handler.HANDLE.invokeExact(UCS_ASYNC_MODE_THREAD, descriptor, 0,
                    ucx_h.SYMBOL_LOOKUP.findOrThrow("ucs_empty_function"), MemorySegment.NULL, MemorySegment.NULL);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@snippet lang=c : void ucs_debug_disable_signals(void) } */
    public static void ucs_debug_disable_signals() {
        try {
            ucs_debug_disable_signals.HANDLE.invokeExact();
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /**
     * Returns whether the loaded library has a symbol.
     *
     * @param symbol name of a C function
     * @return whether it can be called
     */
    public static boolean has(String symbol) {
        return ucx_h.SYMBOL_LOOKUP.find(symbol).isPresent();
    }

    private static RuntimeException rethrow(Throwable t) {
        if (t instanceof RuntimeException e) {
            return e;
        }
        throw t instanceof Error e ? e : new AssertionError("a downcall declares no exception", t);
    }
}
