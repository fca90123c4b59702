package io.reactorucx.transport.command;

import io.reactorucx.engine.EngineStall;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.transport.event.FlightEvents;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs the stalls of engines, at most one with its stack in a period for each engine, and records them as events.
 *
 * <p>Thread: that of the watch.
 */
final class StallLog {

    private static final Logger LOG = LoggerFactory.getLogger(ProgressEngine.class);
    private static final long PERIOD_NANOS = 10_000_000_000L;
    private static final int SHOWN_FRAMES = 24;

    private final Map<ProgressEngine, Object> events = new HashMap<>();
    private final Map<ProgressEngine, Long> lastWarnings = new HashMap<>();

    void stalled(ProgressEngine engine, EngineStall stall) {
        Object event = FlightEvents.stall();
        if (event != null) {
            events.put(engine, event);
        }
        long now = System.nanoTime();
        Long last = lastWarnings.get(engine);
        if (last != null && now - last < PERIOD_NANOS) {
            LOG.debug("[{}] has stalled for {} ms: {}", engine.name(), stall.duration().toMillis(), stall.name());
            return;
        }
        lastWarnings.put(engine, now);
        if (LOG.isWarnEnabled()) {
            LOG.warn("[{}] has stalled for {} ms, and with it all its connections: {}:{}", engine.name(),
                    stall.duration().toMillis(), blame(stall), stack(stall));
        }
    }

    private static String blame(EngineStall stall) {
        return stall.handler().equals(EngineStall.ENGINE)
                ? "no code of the application was called, the engine itself takes the time, or got no processor"
                : stall.handler() + ", called by " + stall.operation() + ", blocks its thread";
    }

    private static String stack(EngineStall stall) {
        StringBuilder lines = new StringBuilder();
        stall.stack().stream().limit(SHOWN_FRAMES).forEach(frame -> lines.append("\n\tat ").append(frame));
        return lines.toString();
    }

    void ended(ProgressEngine engine, EngineStall stall) {
        FlightEvents.stallEnded(events.remove(engine), engine.name(), stall.operation(), stall.handler(),
                stall.duration());
        LOG.debug("[{}] goes on after {} ms", engine.name(), stall.duration().toMillis());
    }
}
