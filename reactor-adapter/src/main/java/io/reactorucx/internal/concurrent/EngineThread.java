package io.reactorucx.internal.concurrent;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.scheduler.NonBlocking;

/** The thread of an engine, on which Reactor refuses to block. */
public final class EngineThread extends Thread implements NonBlocking {

    private EngineThread(Runnable work, String name) {
        super(work, name);
        setDaemon(true);
    }

    /** Makes the thread that watches engines, which is none itself. */
    public static ThreadFactory watch(String prefix) {
        return work -> {
            Thread thread = new Thread(work, prefix + "-watch");
            thread.setDaemon(true);
            return thread;
        };
    }

    public static ThreadFactory factory(String prefix) {
        AtomicInteger number = new AtomicInteger();
        return work -> new EngineThread(work, prefix + "-" + number.getAndIncrement());
    }
}
