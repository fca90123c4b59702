package io.reactorucx.core;

import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.core.ffi.ucp_worker_attr;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.NativeStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The attributes of a worker ({@code ucp_worker_query}), its addresses aside.
 *
 * @param threadMode what it was really made with
 * @param maxHeaderBytes largest header of an active message in bytes, 0 without the feature AM
 * @param name its name
 * @param maxInfoBytes largest description of a request in bytes
 */
public record UcpWorkerAttributes(UcxThreadMode threadMode, int maxHeaderBytes, String name, int maxInfoBytes) {

    static UcpWorkerAttributes of(MemorySegment worker) {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment attr = ucp_worker_attr.allocate(call);
            ucp_worker_attr.field_mask(attr, ucx_h.UCP_WORKER_ATTR_FIELD_THREAD_MODE()
                    | ucx_h.UCP_WORKER_ATTR_FIELD_MAX_AM_HEADER()
                    | ucx_h.UCP_WORKER_ATTR_FIELD_NAME() | ucx_h.UCP_WORKER_ATTR_FIELD_MAX_INFO_STRING());
            NativeStatus.check(ucx_h.ucp_worker_query(worker, attr), "worker_query");
            return new UcpWorkerAttributes(UcxThreadMode.of(ucp_worker_attr.thread_mode(attr)),
                    (int) Math.min(ucp_worker_attr.max_am_header(attr), Integer.MAX_VALUE), ucp_worker_attr.name(attr)
                    .getString(0), Math.toIntExact(ucp_worker_attr.max_debug_string(attr)));
        }
    }

    UcpWorkerAttributes requireThreadMode(UcxThreadMode asked) {
        if (threadMode.compareTo(asked) < 0) {
            throw new UcxUnsupportedException("worker_create", "thread mode " + asked + " was asked for, UCX gave "
                    + threadMode);
        }
        return this;
    }
}
