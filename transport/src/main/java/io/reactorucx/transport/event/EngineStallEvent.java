package io.reactorucx.transport.event;

import java.time.Duration;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

@Name("io.reactorucx.EngineStall")
@Label("Engine Stall")
@Description("A round of an engine took longer than the threshold: from the moment it was noticed to its end")
@Category({"Reactor UCX", "Engines"})
@StackTrace(false)
final class EngineStallEvent extends Event {

    static final EngineStallEvent PROBE = new EngineStallEvent();

    @Label("Engine")
    @Nullable String engine;

    @Label("Operation")
    @Description("Part of the library that called what blocks")
    @Nullable String operation;

    @Label("Handler")
    @Description("Method that blocks")
    @Nullable String handler;

    @Label("Blocked")
    @Description("Time that the round took, at least")
    @Timespan
    long blocked;

    static Object begun() {
        EngineStallEvent event = new EngineStallEvent();
        event.begin();
        return event;
    }

    static void write(Object begun, String engine, String operation, String handler, Duration noticed) {
        EngineStallEvent event = (EngineStallEvent) begun;
        event.engine = engine;
        event.operation = operation;
        event.handler = handler;
        event.blocked = noticed.toNanos();
        event.commit();
    }
}
