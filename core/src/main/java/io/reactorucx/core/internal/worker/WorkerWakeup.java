package io.reactorucx.core.internal.worker;

import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.core.ffi.pollfd;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.NativeStatus;
import io.reactorucx.core.internal.socket.EpollDescriptor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * Sleeping until a worker has something to do, and waking it: {@code ucp_worker_arm}, the event descriptor, {@code
 * ucp_worker_signal}.
 */
public final class WorkerWakeup {

    private static final int BUSY = UcxStatus.BUSY.code();

    private final MemorySegment worker;
    private final int eventFd;
    private final boolean external;
    private final MemorySegment poll;
    /**
     * Read while signalling, so that several threads can at once; written when the worker is destroyed: a signal after
     * that is a use after free.
     */
    private final ReentrantReadWriteLock lifetime = new ReentrantReadWriteLock();
    private boolean destroyed;

    public WorkerWakeup(MemorySegment worker, @Nullable EpollDescriptor given, Arena arena) {
        this.worker = worker;
        external = given != null;
        eventFd = given != null ? given.number() : ofUcx(worker, arena);
        poll = pollfd.allocate(arena);
        pollfd.fd(poll, eventFd);
        pollfd.events(poll, (short) ucx_h.POLLIN());
    }

    private static int ofUcx(MemorySegment worker, Arena arena) {
        MemorySegment number = arena.allocate(ValueLayout.JAVA_INT);
        NativeStatus.check(ucx_h.ucp_worker_get_efd(worker, number), "worker_get_efd");
        return number.get(ValueLayout.JAVA_INT, 0);
    }

    public int eventFd() {
        if (external) {
            throw new UcxUnsupportedException("worker_get_efd",
                    "the worker reports to the descriptor that it was made with");
        }
        return eventFd;
    }

    public boolean arm() {
        int status = ucx_h.ucp_worker_arm(worker);
        if (status == BUSY) {
            return false;
        }
        NativeStatus.check(status, "worker_arm");
        return true;
    }

    public boolean await(long timeoutNanos) {
        long millis = timeoutNanos <= 0 ? 0 : TimeUnit.NANOSECONDS.toMillis(timeoutNanos) + 1;
        return ucx_h.poll(poll, 1, (int) Math.min(millis, Integer.MAX_VALUE)) > 0;
    }

    public void signal() {
        if (!lifetime.readLock().tryLock()) {
            // The worker is being destroyed.
            return;
        }
        try {
            if (!destroyed) {
                NativeStatus.check(ucx_h.ucp_worker_signal(worker), "worker_signal");
            }
        } finally {
            lifetime.readLock().unlock();
        }
    }

    public void destroyed() {
        lifetime.writeLock().lock();
        try {
            destroyed = true;
        } finally {
            lifetime.writeLock().unlock();
        }
    }
}
