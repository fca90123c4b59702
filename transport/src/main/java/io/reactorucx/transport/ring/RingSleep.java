package io.reactorucx.transport.ring;

import io.reactorucx.core.shm.SharedPages;
import java.lang.invoke.VarHandle;

/**
 * What one side of a link shows of its sleep. It shows that it sleeps before it looks for work the last time; the other
 * side looks for that after it has written: so one of the two sees the other.
 *
 * <p>Thread: engine.
 */
final class RingSleep {

    private final Words own;
    private long sleep;

    /** Numbers that one side writes and the other reads. */
    interface Words {

        /** Reads a number; what is read afterwards is read later. */
        long getAcquire(int index);

        /** Writes a number after all that was written before. */
        void setRelease(int index, long value);
    }

    /** The numbers beside a ring. */
    record PageWords(SharedPages pages) implements Words {

        @Override
        public long getAcquire(int index) {
            return pages.word(index);
        }

        @Override
        public void setRelease(int index, long value) {
            pages.publish(index, value);
        }
    }

    /** Creates what shows that this side is awake. */
    RingSleep(Words own) {
        this.own = own;
    }

    /** This side is about to sleep, and then looks whether there is work. */
    void tellAsleep(boolean waitsForReader) {
        own.setRelease(RingLayout.WAIT_WORD, waitsForReader ? 1 : 0);
        sleep = sleep + 1 | 1;
        own.setRelease(RingLayout.SLEEP_WORD, sleep);
        VarHandle.fullFence();
    }

    /** This side is awake. */
    void tellAwake() {
        sleep = sleep + 1 & ~1L;
        own.setRelease(RingLayout.SLEEP_WORD, sleep);
    }

    /**
     * Returns the number of the sleep from which the peer has to be woken for what was written or told before, 0 for
     * none.
     *
     * @param records whether there are records for it, not only room
     */
    static long toBeWoken(Words peer, boolean records) {
        VarHandle.fullFence();
        long now = peer.getAcquire(RingLayout.SLEEP_WORD);
        return (now & 1) != 0 && (records || peer.getAcquire(RingLayout.WAIT_WORD) != 0) ? now : 0;
    }
}
