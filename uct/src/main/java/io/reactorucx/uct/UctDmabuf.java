package io.reactorucx.uct;

import io.reactorucx.core.ffi.UcpCompat;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A dmabuf file descriptor of memory.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> the descriptor is open until {@link #close()}.
 */
public final class UctDmabuf implements AutoCloseable {

    private final int fd;
    private final long offset;
    private final AtomicBoolean closed = new AtomicBoolean();

    UctDmabuf(int fd, long offset) {
        this.fd = fd;
        this.offset = offset;
    }

    /** {@return number of the file descriptor} */
    public int fd() {
        return fd;
    }

    /** {@return where the memory begins in what the descriptor stands for; 0 when that was not asked for} */
    public long offset() {
        return offset;
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            UcpCompat.close(fd);
        }
    }
}
