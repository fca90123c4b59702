package io.reactorucx.core;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * Where memory is ({@code ucs_memory_type_t}). Which of them a context knows: {@link
 * UcpContextAttributes#memoryTypes()}.
 */
public enum UcxMemoryType {
    /** Memory of the host's processor. */
    HOST(0, true),
    /** Memory of an NVIDIA device. */
    CUDA(1, false),
    /** NVIDIA's managed memory, which the host can reach. */
    CUDA_MANAGED(2, true),
    /** Memory of an AMD device. */
    ROCM(3, false),
    /** AMD's managed memory, which the host can reach. */
    ROCM_MANAGED(4, true),
    /** Memory of a network device, from UCX 1.16 on. */
    RDMA(5, false),
    /** Intel Level Zero's host memory, from UCX 1.17 on. */
    ZE_HOST(6, true),
    /** Memory of an Intel device, from UCX 1.17 on. */
    ZE_DEVICE(7, false),
    /** Intel Level Zero's shared memory, from UCX 1.17 on. */
    ZE_MANAGED(8, true),
    /** Memory of a Gaudi accelerator, from UCX 1.21 on. */
    GAUDI(9, false),
    /** A type that the library does not know or does not report. */
    UNKNOWN(-1, false);

    private final int code;
    private final boolean accessible;

    UcxMemoryType(int code, boolean accessible) {
        this.code = code;
        this.accessible = accessible;
    }

    int code() {
        return code;
    }

    /** {@return whether Java may read and write such memory; touching the others would end the process} */
    public boolean isHostAccessible() {
        return accessible;
    }

    /** How many types the loaded library knows; it takes others for an index past its tables. */
    static int known() {
        return count(Ucx.version());
    }

    /** As {@link #known()}, for a library of any version. */
    static int count(UcxVersion version) {
        if (version.isAtLeast(1, 21)) {
            return GAUDI.code + 1;
        }
        if (version.isAtLeast(1, 17)) {
            return ZE_MANAGED.code + 1;
        }
        return version.isAtLeast(1, 16) ? RDMA.code + 1 : ROCM_MANAGED.code + 1;
    }

    static UcxMemoryType of(int code) {
        return Arrays.stream(values()).filter(type -> type.code == code).findFirst().orElse(UNKNOWN);
    }

    static Set<UcxMemoryType> of(long mask) {
        EnumSet<UcxMemoryType> types = EnumSet.noneOf(UcxMemoryType.class);
        Arrays.stream(values()).filter(type -> type != UNKNOWN && (mask >>> type.code & 1) != 0).forEach(types::add);
        return Collections.unmodifiableSet(types);
    }
}
