package io.reactorucx.netty.counter;

import io.reactorucx.netty.UcxNettyConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The loops of one factory, and who wants to know of them.
 *
 * <p>Thread: any.
 */
public final class LoopRegistry {

    private static final Logger LOG = LoggerFactory.getLogger(LoopRegistry.class);

    private final List<LoopCounters> all = new ArrayList<>();
    private final List<LoopCounters> running = new ArrayList<>();
    private final List<LoopListener> listeners = new ArrayList<>();

    /** Adds a loop. */
    public synchronized LoopCounters add(String name, UcxNettyConfig config) {
        LoopCounters made = new LoopCounters(name, config, this);
        all.add(made);
        running.add(made);
        tell(listener -> listener.loopStarted(made));
        return made;
    }

    /** Returns all loops in their order, also those that have ended. */
    public synchronized List<LoopCounters> loops() {
        return List.copyOf(all);
    }

    /**
     * Tells a listener of the loops and engines that there are, and of those that come and go from now on. It takes the
     * place of one that equals it. One that throws meanwhile is told that all of them have ended.
     */
    public synchronized void listen(LoopListener listener) {
        listeners.stream().filter(listener::equals).findFirst().ifPresent(this::unlisten);
        try {
            for (LoopCounters loop : running) {
                listener.loopStarted(loop);
                loop.engines().forEach(engine -> listener.engineStarted(engine.engine()));
            }
        } catch (RuntimeException | Error e) {
            end(listener);
            throw e;
        }
        listeners.add(listener);
    }

    /** Tells this listener, if it still is one, that all loops and engines have ended, and of nothing from now on. */
    public synchronized void unlisten(LoopListener listener) {
        if (listeners.removeIf(each -> each == listener)) {
            end(listener);
        }
    }

    private void end(LoopListener listener) {
        for (LoopCounters loop : running) {
            loop.engines().forEach(engine -> listener.engineEnded(engine.engine()));
            listener.loopEnded(loop);
        }
    }

    synchronized void engineStarted(LoopCounters loop, LoopCounters.Engine engine) {
        loop.engines().add(engine);
        tell(listener -> listener.engineStarted(engine.engine()));
    }

    synchronized void engineEnded(LoopCounters loop, LoopCounters.Engine engine) {
        if (loop.engines().remove(engine)) {
            tell(listener -> listener.engineEnded(engine.engine()));
        }
    }

    synchronized void loopEnded(LoopCounters loop) {
        if (running.remove(loop)) {
            tell(listener -> listener.loopEnded(loop));
        }
    }

    /** Tells all listeners; an exception that one of them throws is no reason to end the loop. */
    private void tell(Consumer<LoopListener> event) {
        for (LoopListener listener : listeners) {
            try {
                event.accept(listener);
            } catch (RuntimeException e) {
                LOG.error("a listener of loops threw", e);
            }
        }
    }
}
