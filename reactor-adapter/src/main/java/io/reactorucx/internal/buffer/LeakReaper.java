package io.reactorucx.internal.buffer;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hears from the garbage collector of what nobody can reach any more. One thread of the process, from the first thing
 * that is watched.
 */
public final class LeakReaper {

    private static final Logger LOG = LoggerFactory.getLogger(LeakReaper.class);
    private static final ReferenceQueue<Object> UNREACHABLE = new ReferenceQueue<>();

    static {
        Thread.ofPlatform().daemon().name("ucx-leak-reaper").inheritInheritableThreadLocals(false)
                .start(LeakReaper::run);
    }

    private LeakReaper() {
    }

    /** Something to watch; whoever makes it keeps it reachable for as long. */
    public abstract static class Watched<T> extends WeakReference<T> {

        public Watched(T watched) {
            super(watched, UNREACHABLE);
        }

        /** Nobody can reach it any more. On the reaper's thread. */
        public abstract void unreachable();
    }

    private static void run() {
        while (true) {
            try {
                if (UNREACHABLE.remove() instanceof Watched<?> watched) {
                    watched.unreachable();
                }
            } catch (InterruptedException e) {
                LOG.debug("nobody may end this thread", e);
            } catch (RuntimeException | LinkageError e) {
                LOG.error("What nobody can reach any more could not be given back", e);
            }
        }
    }
}
