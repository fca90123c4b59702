package io.reactorucx.uct;

import io.reactorucx.core.UcxMemoryType;
import io.reactorucx.core.ffi.ucs_cpu_set_t;
import io.reactorucx.core.ffi.ucs_linear_func_t;
import io.reactorucx.core.ffi.uct_md_attr;
import io.reactorucx.uct.internal.MemoryTypes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.Set;

/**
 * The capabilities of a memory domain at the time of the query ({@code uct_md_attr_t}).
 *
 * @param componentName name of the component
 * @param flags what it can do
 * @param maxAllocationBytes largest allocation, {@code Long.MAX_VALUE} where there is no limit
 * @param maxRegistrationBytes largest registration, {@code Long.MAX_VALUE} where there is no limit
 * @param registrableTypes types of memory that can be registered
 * @param detectableTypes types of memory that it recognises by address
 * @param allocatableTypes types of memory that it can allocate
 * @param accessibleTypes types of memory that it can access
 * @param registrationCostSeconds estimated time to register memory, by size
 * @param packedKeyBytes size of a packed remote key
 * @param localCpus processors near the device; all of the first 1024 when none is nearer than others
 */
public record UctMdAttributes(String componentName, Set<UctMdFlag> flags, long maxAllocationBytes,
        long maxRegistrationBytes, Set<UcxMemoryType> registrableTypes, Set<UcxMemoryType> detectableTypes,
        Set<UcxMemoryType> allocatableTypes, Set<UcxMemoryType> accessibleTypes,
        UctLinearFunction registrationCostSeconds, long packedKeyBytes, BitSet localCpus) {

    /** Copies what could change. */
    public UctMdAttributes {
        flags = Set.copyOf(flags);
        registrableTypes = Set.copyOf(registrableTypes);
        detectableTypes = Set.copyOf(detectableTypes);
        allocatableTypes = Set.copyOf(allocatableTypes);
        accessibleTypes = Set.copyOf(accessibleTypes);
        localCpus = (BitSet) localCpus.clone();
    }

    /** {@return a copy of the set of near processors} */
    @Override
    public BitSet localCpus() {
        return (BitSet) localCpus.clone();
    }

    static UctMdAttributes read(MemorySegment attr) {
        MemorySegment cap = uct_md_attr.cap(attr);
        MemorySegment cost = uct_md_attr.reg_cost(attr);
        MemorySegment cpus = ucs_cpu_set_t.ucs_bits(uct_md_attr.local_cpus(attr));
        return new UctMdAttributes(uct_md_attr.component_name(attr).getString(0),
                UctMdFlag.of(uct_md_attr.cap.flags(cap)), size(uct_md_attr.cap.max_alloc(cap)),
                size(uct_md_attr.cap.max_reg(cap)), MemoryTypes.ofMask(uct_md_attr.cap.reg_mem_types(cap)),
                MemoryTypes.ofMask(uct_md_attr.cap.detect_mem_types(cap)),
                MemoryTypes.ofMask(uct_md_attr.cap.alloc_mem_types(cap)),
                MemoryTypes.ofMask(uct_md_attr.cap.access_mem_types(cap)), new UctLinearFunction(
                        ucs_linear_func_t.c(cost), ucs_linear_func_t.m(cost)), uct_md_attr.rkey_packed_size(attr),
                BitSet.valueOf(cpus.toArray(ValueLayout.JAVA_LONG)));
    }

    private static long size(long unsigned) {
        return unsigned < 0 ? Long.MAX_VALUE : unsigned;
    }
}
