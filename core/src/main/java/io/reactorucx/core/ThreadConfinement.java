package io.reactorucx.core;

import java.util.concurrent.locks.ReentrantLock;

/**
 * Which thread may use a worker now: with {@link UcxThreadMode#SINGLE} always the same, else the one that has entered
 * it.
 */
final class ThreadConfinement {

    private static final UcpWorker.Entry NOTHING_TO_LEAVE = () -> { };

    private final String name;
    private final UcxThreadMode mode;
    private final Runnable checkMayLeave;
    private final Thread owner = Thread.currentThread();
    private final ReentrantLock entered = new ReentrantLock();

    ThreadConfinement(String name, UcxThreadMode mode, Runnable checkMayLeave) {
        this.name = name;
        this.mode = mode;
        this.checkMayLeave = checkMayLeave;
    }

    void check() {
        if (mode == UcxThreadMode.SINGLE ? Thread.currentThread() != owner : !entered.isHeldByCurrentThread()) {
            refuse();
        }
    }

    private void refuse() {
        String current = Thread.currentThread().getName();
        throw new IllegalStateException("worker " + name + ": " + (mode == UcxThreadMode.SINGLE
                ? "it belongs to the thread " + owner.getName() + ", this is " + current
                : "the thread " + current + " has not entered it, which thread mode " + mode + " asks for"));
    }

    UcpWorker.Entry enter() {
        switch (mode) {
            case SINGLE -> {
                check();
                return NOTHING_TO_LEAVE;
            }
            case SERIALIZED -> {
                if (!entered.tryLock()) {
                    throw new IllegalStateException("worker " + name
                            + ": another thread is in it; with thread mode SERIALIZED the application has to see that"
                            + " one enters at a time");
                }
            }
            case MULTI -> entered.lock();
        }
        return new Stay(this);
    }

    /** One entry into the worker, which ends once. */
    private static final class Stay implements UcpWorker.Entry {

        private final ThreadConfinement threads;
        private boolean left;

        Stay(ThreadConfinement threads) {
            this.threads = threads;
        }

        @Override
        public void close() {
            if (!left) {
                threads.check();
                if (threads.entered.getHoldCount() == 1) {
                    threads.checkMayLeave.run();
                }
                left = true;
                threads.entered.unlock();
            }
        }
    }
}
