package io.reactorucx.uct;

import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.Arguments;
import io.reactorucx.core.internal.NativeStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/** Memory as its domain knows it ({@code uct_mem_h}): the operations on it, whether it was allocated or registered. */
final class MemoryHandle {

    /** A domain without keys still needs an address to write keys to. */
    private static final long SPARE_BYTES = 64;

    private final UctMemoryDomain domain;
    private final MemorySegment handle;
    private final long address;
    private final long bytes;

    MemoryHandle(UctMemoryDomain domain, MemorySegment handle, long address, long bytes) {
        this.domain = domain;
        this.handle = handle;
        this.address = address;
        this.bytes = bytes;
    }

    UctMemoryDomain domain() {
        return domain;
    }

    MemorySegment handle() {
        return handle;
    }

    UctPackedKey packKey() {
        domain.checkOpen("uct_md_mkey_pack");
        long keyBytes = domain.attributes().packedKeyBytes();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(keyBytes + SPARE_BYTES);
            NativeStatus.check(ucx_h.uct_md_mkey_pack(domain.handle(), handle, buffer), "uct_md_mkey_pack");
            return new UctPackedKey(domain.component().name(), address, bytes,
                    buffer.asSlice(0, keyBytes).toArray(ValueLayout.JAVA_BYTE));
        }
    }

    void advise(long offset, long length, UctMemoryAdvice advice) {
        Arguments.positive(length, "length");
        Arguments.bounds(offset, length, bytes, "memory");
        Objects.requireNonNull(advice, "advice");
        domain.require(UctMdOperation.ADVISE);
        NativeStatus.check(ucx_h.uct_md_mem_advise(domain.handle(), handle, MemorySegment.ofAddress(address + offset),
                length, advice.code()), "uct_md_mem_advise");
    }
}
