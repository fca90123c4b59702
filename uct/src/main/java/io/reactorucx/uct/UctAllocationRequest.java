package io.reactorucx.uct;

import io.reactorucx.core.UcxMemoryType;
import io.reactorucx.core.internal.Arguments;
import io.reactorucx.core.internal.memory.AddressSpace;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * A request to allocate memory ({@code uct_mem_alloc_params_t}).
 *
 * @param bytes smallest size, at least 1; the memory may be larger
 * @param methods how to allocate it, in the order in which they are tried
 * @param flags what may be done with it, and how it is mapped
 * @param address where it should be; 0 for anywhere. With {@link UctMemoryFlag#FIXED} it has to be there, and twice its
 *     size has to be free there; without, it is a hint
 * @param memoryType type of the memory
 * @param name name of the memory, for UCX's own accounts
 */
public record UctAllocationRequest(long bytes, List<UctAllocationMethod> methods, Set<UctMemoryFlag> flags,
        long address, UcxMemoryType memoryType, String name) {

    private static final int MAX_METHODS = 16;
    private static final Set<UctMemoryFlag> LOCAL_ACCESS = Set.of(UctMemoryFlag.ACCESS_LOCAL_READ,
            UctMemoryFlag.ACCESS_LOCAL_WRITE);

    /** Checks and copies the parts. */
    public UctAllocationRequest {
        Arguments.positive(bytes, "bytes");
        methods = List.copyOf(Objects.requireNonNull(methods, "methods"));
        Arguments.range(methods.size(), 1, MAX_METHODS, "methods.size()");
        flags = UctMemoryFlag.checked(flags);
        if (flags.contains(UctMemoryFlag.FIXED)) {
            checkAligned(address);
        }
        Objects.requireNonNull(memoryType, "memoryType");
        if (memoryType == UcxMemoryType.UNKNOWN) {
            throw new IllegalArgumentException("memoryType UNKNOWN: name a type");
        }
        Objects.requireNonNull(name, "name");
    }

    private static void checkAligned(long address) {
        if (address <= 0 || address % AddressSpace.PAGE_BYTES != 0) {
            throw new IllegalArgumentException("address 0x" + Long.toHexString(address)
                    + ": for FIXED a positive multiple of " + AddressSpace.PAGE_BYTES + ", the page size");
        }
    }

    /**
     * Starts from memory of the host, for local use, allocated by the memory domain.
     *
     * @param bytes smallest size, at least 1
     * @return the request
     */
    public static UctAllocationRequest of(long bytes) {
        return new UctAllocationRequest(bytes, List.of(UctAllocationMethod.MD), LOCAL_ACCESS, 0, UcxMemoryType.HOST,
                "reactor-ucx");
    }

    /**
     * Says how to allocate.
     *
     * @param order methods in the order in which they are tried
     * @return the request with the methods
     */
    public UctAllocationRequest withMethods(UctAllocationMethod... order) {
        return new UctAllocationRequest(bytes, Arrays.asList(order), flags, address, memoryType, name);
    }

    /**
     * Says what may be done with the memory, and how it is mapped.
     *
     * @param newFlags the flags
     * @return the request with the flags
     */
    public UctAllocationRequest withFlags(Set<UctMemoryFlag> newFlags) {
        return new UctAllocationRequest(bytes, methods, newFlags, address, memoryType, name);
    }

    /**
     * Says where the memory should be, if that is possible.
     *
     * @param hint an address
     * @return the request with the hint
     */
    public UctAllocationRequest withAddressHint(long hint) {
        return new UctAllocationRequest(bytes, methods, without(UctMemoryFlag.FIXED), hint, memoryType, name);
    }

    /**
     * Says where the memory has to be.
     *
     * @param fixed an address, a multiple of the page size
     * @return the request with the address and {@link UctMemoryFlag#FIXED}
     */
    public UctAllocationRequest withFixedAddress(long fixed) {
        Set<UctMemoryFlag> more = without(UctMemoryFlag.FIXED);
        more.add(UctMemoryFlag.FIXED);
        return new UctAllocationRequest(bytes, methods, more, fixed, memoryType, name);
    }

    /**
     * Says what memory it is.
     *
     * @param type the type
     * @return the request with the type
     */
    public UctAllocationRequest withMemoryType(UcxMemoryType type) {
        return new UctAllocationRequest(bytes, methods, flags, address, type, name);
    }

    /**
     * Names the memory.
     *
     * @param newName the name
     * @return the request with the name
     */
    public UctAllocationRequest withName(String newName) {
        return new UctAllocationRequest(bytes, methods, flags, address, memoryType, newName);
    }

    private Set<UctMemoryFlag> without(UctMemoryFlag flag) {
        Set<UctMemoryFlag> copy = new HashSet<>(flags);
        copy.remove(flag);
        return copy;
    }

    boolean isFixed() {
        return flags.contains(UctMemoryFlag.FIXED);
    }
}
