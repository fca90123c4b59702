package io.reactorucx.core;

import io.reactorucx.core.ffi.ucx_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/** Addresses of workers, and what can be checked of one before UCX, which trusts it, parses it. */
final class WorkerAddresses {

    /** No address of a machine with many devices comes near this. */
    static final int MAX_BYTES = 64 * 1024;

    private static final int MIN_BYTES = 9;

    private WorkerAddresses() {
    }

    static byte[] checked(byte[] address) {
        Objects.requireNonNull(address, "workerAddress");
        if (address.length < MIN_BYTES || address.length > MAX_BYTES) {
            throw new IllegalArgumentException("workerAddress of " + address.length + " bytes: must be in " + MIN_BYTES + ".." + MAX_BYTES);
        }
        return address;
    }

    static byte[] of(MemorySegment worker) {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment pointer = call.allocate(ValueLayout.ADDRESS);
            MemorySegment size = call.allocate(ValueLayout.JAVA_LONG);
            UcpContext.check(ucx_h.ucp_worker_get_address(worker, pointer, size), "worker_get_address");
            MemorySegment address = pointer.get(ValueLayout.ADDRESS, 0);
            try {
                return address.reinterpret(size.get(ValueLayout.JAVA_LONG, 0)).toArray(ValueLayout.JAVA_BYTE);
            } finally {
                ucx_h.ucp_worker_release_address(worker, address);
            }
        }
    }
}
