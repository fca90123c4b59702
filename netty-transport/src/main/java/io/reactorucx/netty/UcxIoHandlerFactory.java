package io.reactorucx.netty;

import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.reactorucx.netty.counter.LoopCount;
import io.reactorucx.netty.counter.LoopCounters;
import io.reactorucx.netty.counter.LoopRegistry;
import java.util.List;
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
    private final LoopRegistry registry = new LoopRegistry();

    UcxIoHandlerFactory(UcxNettyConfig config) {
        this.config = config;
    }

    @Override
    public IoHandler newHandler(ThreadAwareExecutor executor) {
        LoopCounters made = registry.add(name + "-" + loops.getAndIncrement(), config);
        return new UcxIoHandler(config, executor, made.loop(), made);
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

    /** {@return counts and amounts of its loops, in their order, also of those that have ended} */
    public List<UcxLoopStatistics> statistics() {
        return registry.loops().stream().map(each -> new UcxLoopStatistics(each.loop(), each.channels(),
                each.of(LoopCount.BROKEN), each.of(LoopCount.REFUSED), (int) each.of(LoopCount.LINKS),
                each.of(LoopCount.REFUSED_LINKS), each.of(LoopCount.VIOLATIONS), each.of(LoopCount.FAILED_HANDSHAKES),
                each.of(LoopCount.SENT_BYTES), each.of(LoopCount.RECEIVED_BYTES),
                (int) each.of(LoopCount.PLAIN_CHANNELS), each.refusesClients(),
                each.rings(), each.encryption())).toList();
    }

    /** Returns its loops, of which meters are bound. */
    LoopRegistry registry() {
        return registry;
    }
}
