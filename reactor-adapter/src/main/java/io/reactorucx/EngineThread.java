package io.reactorucx;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.ThreadFactory;
import reactor.core.scheduler.NonBlocking;

/** A thread of an engine; Reactor refuses to block on it. */
final class EngineThread extends Thread implements NonBlocking {

    private EngineThread(Runnable work, String name) {
        super(work, name);
        setDaemon(true);
    }

    static ThreadFactory factory(String prefix) {
        AtomicInteger number = new AtomicInteger();
        return work -> new EngineThread(work, prefix + "-" + number.getAndIncrement());
    }
}
