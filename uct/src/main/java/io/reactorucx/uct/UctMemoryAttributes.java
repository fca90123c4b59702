package io.reactorucx.uct;

import io.reactorucx.core.UcxMemoryType;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Attributes of memory that a memory domain recognises ({@code uct_md_mem_attr_t}). Fields that were not queried have
 * their lowest value.
 *
 * @param memoryType type of the memory
 * @param systemDevice index of the device that holds it, empty when that is not known
 * @param baseAddress where the allocation begins that it belongs to
 * @param allocationBytes size of that allocation
 * @param dmabuf a file descriptor by which other devices reach the memory, null when there is none; to be closed by the
 *     caller
 */
public record UctMemoryAttributes(UcxMemoryType memoryType, OptionalInt systemDevice, long baseAddress,
        long allocationBytes,
        @Nullable UctDmabuf dmabuf) {

    /** Attributes that can be queried ({@code uct_md_mem_attr_field_t}). */
    public enum Field {
        /** {@link UctMemoryAttributes#memoryType}. */
        MEM_TYPE(0),
        /** {@link UctMemoryAttributes#systemDevice}. */
        SYS_DEV(1),
        /** {@link UctMemoryAttributes#baseAddress}. */
        BASE_ADDRESS(2),
        /** {@link UctMemoryAttributes#allocationBytes}. */
        ALLOC_LENGTH(3),
        /** {@link UctMemoryAttributes#dmabuf}; since UCX 1.14. */
        DMABUF_FD(4),
        /** {@link UctDmabuf#offset}; since UCX 1.14. */
        DMABUF_OFFSET(5);

        private final int bit;

        Field(int bit) {
            this.bit = bit;
        }

        int bit() {
            return bit;
        }
    }
}
