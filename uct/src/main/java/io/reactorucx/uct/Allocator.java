package io.reactorucx.uct;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.ffi.uct_allocated_memory;
import io.reactorucx.core.ffi.uct_mem_alloc_params_t;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.NativeStatus;
import io.reactorucx.core.internal.memory.AddressReservation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/**
 * Calls of {@code uct_mem_alloc}, one for each method until one succeeds: given several, UCX takes the length that one
 * method rounded up for what the next one allocated. An address is reserved before UCX maps memory there.
 */
final class Allocator {

    private static final String OPERATION = "uct_mem_alloc";

    private final UctAllocationRequest request;
    /** Handles of the domains that the method MD tries. */
    private final List<MemorySegment> domains;

    Allocator(UctAllocationRequest request, List<MemorySegment> domains) {
        this.request = request;
        this.domains = domains;
    }

    /** Fills the description of allocated memory, or throws. */
    void allocate(MemorySegment description) {
        if (request.address() == 0) {
            check(call(description, 0, request.flags()));
            return;
        }
        AddressReservation reserved = AddressReservation.tryReserve(request.address(), request.bytes());
        if (reserved != null) {
            Set<UctMemoryFlag> fixed = new HashSet<>(request.flags());
            fixed.add(UctMemoryFlag.FIXED);
            int status = call(description, reserved.address(), fixed);
            if (status >= 0) {
                reserved.keep(uct_allocated_memory.length(description));
                return;
            }
            reserved.release();
            if (request.isFixed()) {
                check(status);
            }
        } else if (request.isFixed()) {
            throw new UcxException(UcxStatus.ALREADY_EXISTS, OPERATION, null, "twice the " + request.bytes()
                    + " bytes are not free at 0x" + Long.toHexString(request.address()));
        }
        // The address is only a hint and is not free.
        check(call(description, 0, request.flags()));
    }

    private void check(int status) {
        NativeStatus.check(status, OPERATION + " of " + request.bytes() + " bytes by " + request.methods());
    }

    private int call(MemorySegment description, long address, Set<UctMemoryFlag> flags) {
        int status = UcxStatus.NO_MEMORY.code();
        for (Iterator<UctAllocationMethod> methods = request.methods().iterator();
                status == UcxStatus.NO_MEMORY.code() && methods.hasNext();) {
            status = call(methods.next(), description, address, flags);
        }
        return status;
    }

    private int call(UctAllocationMethod method, MemorySegment description, long address, Set<UctMemoryFlag> flags) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment handles = arena.allocate(ADDRESS, domains.size() + 1L);
            for (int i = 0; i < domains.size(); i++) {
                handles.setAtIndex(ADDRESS, i, domains.get(i));
            }
            MemorySegment params = uct_mem_alloc_params_t.allocate(arena);
            uct_mem_alloc_params_t.field_mask(params, ucx_h.UCT_MEM_ALLOC_PARAM_FIELD_FLAGS()
                    | ucx_h.UCT_MEM_ALLOC_PARAM_FIELD_ADDRESS() | ucx_h.UCT_MEM_ALLOC_PARAM_FIELD_MEM_TYPE()
                    | ucx_h.UCT_MEM_ALLOC_PARAM_FIELD_MDS() | ucx_h.UCT_MEM_ALLOC_PARAM_FIELD_NAME());
            uct_mem_alloc_params_t.flags(params, UctMemoryFlag.mask(flags, OPERATION));
            uct_mem_alloc_params_t.address(params, MemorySegment.ofAddress(address));
            uct_mem_alloc_params_t.mem_type(params, request.memoryType().ordinal());
            uct_mem_alloc_params_t.name(params, arena.allocateFrom(request.name()));
            MemorySegment mds = uct_mem_alloc_params_t.mds(params);
            uct_mem_alloc_params_t.mds.mds(mds, handles);
            uct_mem_alloc_params_t.mds.count(mds, domains.size());
            return ucx_h.uct_mem_alloc(request.bytes(), arena.allocateFrom(JAVA_INT, method.code()), 1, params,
                    description);
        }
    }
}
