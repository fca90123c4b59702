package io.reactorucx.core.uct;

import io.reactorucx.core.Ucx;
import io.reactorucx.core.UcxVersion;
import java.util.Set;

/** Where memory is ({@code ucs_memory_type_t}). */
public enum UctMemoryType {
    /** Memory of the host. */
    HOST,
    /** Memory of an NVIDIA device. */
    CUDA,
    /** Memory that CUDA moves between host and device. */
    CUDA_MANAGED,
    /** Memory of an AMD device. */
    ROCM,
    /** Memory that ROCm moves between host and device. */
    ROCM_MANAGED,
    /** Memory of an RDMA device; since UCX 1.16. */
    RDMA,
    /** Host memory of Intel's Level Zero; since UCX 1.17. */
    ZE_HOST,
    /** Device memory of Intel's Level Zero; since UCX 1.17. */
    ZE_DEVICE,
    /** Memory that Level Zero moves between host and device; since UCX 1.17. */
    ZE_MANAGED,
    /** Memory of a Gaudi accelerator; since UCX 1.21. */
    GAUDI,
    /** A type that the library does not know, or does not tell. */
    UNKNOWN;

    /** UCX numbers the unknown type one past the last one that it knows, so the number depends on its version. */
    static int count(UcxVersion version) {
        if (version.isAtLeast(1, 21)) {
            return UNKNOWN.ordinal();
        }
        if (version.isAtLeast(1, 17)) {
            return GAUDI.ordinal();
        }
        return version.isAtLeast(1, 16) ? ZE_HOST.ordinal() : RDMA.ordinal();
    }

    static UctMemoryType of(int code, UcxVersion version) {
        return code >= 0 && code < count(version) ? values()[code] : UNKNOWN;
    }

    static UctMemoryType of(int code) {
        return of(code, Ucx.version());
    }

    static Set<UctMemoryType> ofMask(long mask) {
        return Bits.decode(UctMemoryType.class, mask & (1L << count(Ucx.version())) - 1, Enum::ordinal);
    }

    /** Whether the loaded library has a number for it. */
    boolean isKnown() {
        return ordinal() < count(Ucx.version());
    }

    /** The number in C, for a type that is known. */
    int code() {
        return ordinal();
    }
}
