package io.reactorucx.transport.buffer;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reclaims watched objects that the garbage collector has found unreachable. One daemon thread of the process, started
 * with the first watched object.
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

    /** A reference to a watched object. Its creator keeps the reference reachable for as long as the object. */
    public abstract static class Watched<T> extends WeakReference<T> {

        protected Watched(T watched) {
            super(watched, UNREACHABLE);
        }

        /** The object has become unreachable. Thread: reaper. */
        public abstract void unreachable();
    }

    private static void run() {
        while (true) {
            try {
                if (UNREACHABLE.remove() instanceof Watched<?> watched) {
                    watched.unreachable();
                }
            } catch (InterruptedException e) {
                LOG.debug("ucx-leak-reaper was interrupted and continues", e);
            } catch (RuntimeException | LinkageError e) {
                LOG.error("An unreachable lease or message could not be reclaimed", e);
            }
        }
    }
}
