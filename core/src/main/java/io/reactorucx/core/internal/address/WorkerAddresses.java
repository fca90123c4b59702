package io.reactorucx.core.internal.address;

import io.reactorucx.core.ffi.ucp_worker_address_attr;
import io.reactorucx.core.ffi.ucp_worker_attr;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.Arguments;
import io.reactorucx.core.internal.NativeStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/** Addresses of workers, and the checks of an address before UCX parses it without any. */
public final class WorkerAddresses {

    /** Far above the size of an address of a machine with many devices. */
    private static final int MAX_BYTES = 64 * 1024;

    private static final int MIN_BYTES = 9;
    private static final int VERSION_MASK = 0xf;
    private static final int LAST_VERSION = 1;

    private WorkerAddresses() {
    }

    public static byte[] checked(byte[] address) {
        Objects.requireNonNull(address, "workerAddress");
        if (address.length < MIN_BYTES || address.length > MAX_BYTES) {
            throw new IllegalArgumentException("workerAddress of " + address.length + " bytes: must be in " + MIN_BYTES
                    + ".." + MAX_BYTES);
        }
        // UCX aborts the process for a version that it does not know.
        int version = address[0] & VERSION_MASK;
        if (version > LAST_VERSION) {
            throw new IllegalArgumentException("workerAddress of version " + version + ": UCX knows 0 and 1");
        }
        return address;
    }

    public static byte[] of(MemorySegment worker, boolean networkOnly) {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment attr = ucp_worker_attr.allocate(call);
            ucp_worker_attr.field_mask(attr, ucx_h.UCP_WORKER_ATTR_FIELD_ADDRESS()
                    | ucx_h.UCP_WORKER_ATTR_FIELD_ADDRESS_FLAGS());
            ucp_worker_attr.address_flags(attr, networkOnly ? ucx_h.UCP_WORKER_ADDRESS_FLAG_NET_ONLY() : 0);
            NativeStatus.check(ucx_h.ucp_worker_query(worker, attr), "worker_get_address");
            MemorySegment address = ucp_worker_attr.address(attr);
            try {
                return address.reinterpret(ucp_worker_attr.address_length(attr)).toArray(ValueLayout.JAVA_BYTE);
            } finally {
                ucx_h.ucp_worker_release_address(worker, address);
            }
        }
    }

    public static long uid(byte[] address) {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment attr = ucp_worker_address_attr.allocate(call);
            ucp_worker_address_attr.field_mask(attr, ucx_h.UCP_WORKER_ADDRESS_ATTR_FIELD_UID());
            int status = ucx_h.ucp_worker_address_query(Arguments.padded(checked(address), call), attr);
            NativeStatus.check(status, "worker_address_query");
            return ucp_worker_address_attr.worker_uid(attr);
        }
    }
}
