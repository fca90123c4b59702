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

    /** Makes threads with the names PREFIX-0, PREFIX-1 and so on. */
    public static ThreadFactory factory(String prefix) {
        AtomicInteger number = new AtomicInteger();
        return work -> new EngineThread(work, prefix + "-" + number.getAndIncrement());
    }
}
