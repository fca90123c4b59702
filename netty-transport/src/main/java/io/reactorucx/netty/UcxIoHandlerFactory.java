package io.reactorucx.netty;

import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.reactorucx.netty.internal.LoopCounters;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes the handlers of a group of loops.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> each loop ends its handler. <b>Errors:</b> none.
 */
public final class UcxIoHandlerFactory implements IoHandlerFactory {

    private static final AtomicInteger GROUPS = new AtomicInteger();

    private final UcxNettyConfig config;
    private final String name = "ucx-loop-" + GROUPS.getAndIncrement();
    private final AtomicInteger loops = new AtomicInteger();
    private final List<LoopCounters> counters = new CopyOnWriteArrayList<>();

    UcxIoHandlerFactory(UcxNettyConfig config) {
        this.config = config;
    }

    @Override
    public IoHandler newHandler(ThreadAwareExecutor executor) {
        LoopCounters made = new LoopCounters();
        counters.add(made);
        return new UcxIoHandler(config, executor, name + "-" + loops.getAndIncrement(), made);
    }

    /** {@return false: a UCX worker belongs to one thread} */
    @Override
    public boolean isChangingThreadSupported() {
        return false;
    }

    /** {@return what its loops have in common} */
    public UcxNettyConfig config() {
        return config;
    }

    /** {@return counts and amounts of its loops, in their order} */
    public List<UcxLoopStatistics> statistics() {
        return counters.stream().map(each -> new UcxLoopStatistics(each.channels(), each.broken(), each.violations(),
                each.failedHandshakes(), each.sentBytes(), each.receivedBytes(), each.plainChannels())).toList();
    }
}
