package io.reactorucx.uct;

import java.lang.foreign.MemorySegment;

/**
 * Memory that a memory domain may know: allocated by it, or registered with it.
 *
 * <p><b>Threading:</b> methods belong to the thread of the domain, the segment to any. <b>Ownership:</b> remote keys
 * and pointers of peers end with {@link #close()}. <b>Errors:</b> {@link io.reactorucx.core.error.UcxClosedException}
 * after that.
 */
public sealed interface UctMemory extends AutoCloseable permits UctAllocatedMemory, UctRegisteredMemory {

    /** {@return the memory; of size 0 when the host cannot reach it} */
    MemorySegment segment();

    /** {@return size in bytes} */
    long bytes();

    /** {@return UCX's handle of it ({@code uct_mem_h}), 0 when no memory domain knows it} */
    long handle();

    /**
     * Packs the key that peers need to reach all of this memory ({@code uct_md_mkey_pack}).
     *
     * @return the packed key, valid until {@link #close()}
     */
    UctPackedKey packKey();

    /**
     * Advises UCX on how a part of the memory will be used ({@code uct_md_mem_advise}), which UCX may ignore.
     *
     * @param offset first byte
     * @param length size in bytes, at least 1
     * @param advice what to expect
     */
    void advise(long offset, long length, UctMemoryAdvice advice);

    /** {@return whether it is closed} */
    boolean isClosed();

    @Override
    void close();
}
