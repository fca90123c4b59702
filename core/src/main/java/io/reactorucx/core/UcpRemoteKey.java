package io.reactorucx.core;

import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.Arguments;
import java.lang.foreign.MemorySegment;

/**
 * A peer's memory as one endpoint reaches it ({@code ucp_rkey_h}).
 *
 * <p><b>Threading:</b> the thread of the endpoint's worker. <b>Ownership:</b> ends with {@link #close()} or with its endpoint; the native
 * key is kept until the last operation that uses it has ended. <b>Errors:</b> use after close throws {@link UcxClosedException}.
 */
public final class UcpRemoteKey implements AutoCloseable {

    private final UcpEndpoint endpoint;
    private final MemorySegment handle;
    private final MemoryDescriptor descriptor;
    private int uses;
    private boolean closed;
    private final Pinned pinned = new Pinned() {
        @Override
        public void pin() {
            uses++;
        }

        @Override
        public void unpin() {
            if (--uses == 0 && closed) {
                destroy();
            }
        }
    };

    UcpRemoteKey(UcpEndpoint endpoint, MemorySegment handle, MemoryDescriptor descriptor) {
        this.endpoint = endpoint;
        this.handle = handle;
        this.descriptor = descriptor;
    }

    /** {@return the memory that it opens} */
    public MemoryDescriptor descriptor() {
        return descriptor;
    }

    Pinned pinned() {
        return pinned;
    }

    /** Address of a range in the peer's process, after a check against the bounds that UCX does not make. */
    long address(UcpEndpoint user, long offset, long length) {
        if (closed) {
            throw new UcxClosedException("remote key", endpoint.peer(), "the key to " + descriptor.length() + " bytes is closed");
        }
        if (user != endpoint) {
            throw new IllegalArgumentException("remoteKey: it was unpacked for the endpoint to " + endpoint.peer());
        }
        Arguments.bounds(offset, length, descriptor.length(), "remote memory");
        return descriptor.address() + offset;
    }

    MemorySegment handle() {
        return handle;
    }

    private void destroy() {
        ucx_h.ucp_rkey_destroy(handle);
    }

    @Override
    public void close() {
        endpoint.worker().checkThread();
        if (!closed) {
            closed = true;
            endpoint.keyClosed(this);
            if (uses == 0) {
                destroy();
            }
        }
    }
}
