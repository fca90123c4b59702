package io.reactorucx.observation;

import io.reactorucx.message.TraceContext;
import org.jspecify.annotations.Nullable;

/** The fields of a trace context, as Micrometer Tracing writes and reads them. Other fields are not kept. */
final class TraceCarrier {

    private static final String PARENT = "traceparent";
    private static final String STATE = "tracestate";

    private @Nullable String parent;
    private @Nullable String state;

    TraceCarrier(@Nullable TraceContext remote) {
        if (remote != null) {
            parent = remote.parent();
            state = remote.state().isEmpty() ? null : remote.state();
        }
    }

    static void set(@Nullable TraceCarrier carrier, String key, String value) {
        if (carrier == null) {
            return;
        }
        if (PARENT.equalsIgnoreCase(key)) {
            carrier.parent = value;
        } else if (STATE.equalsIgnoreCase(key)) {
            carrier.state = value;
        }
    }

    static @Nullable String get(TraceCarrier carrier, String key) {
        return PARENT.equalsIgnoreCase(key) ? carrier.parent : STATE.equalsIgnoreCase(key) ? carrier.state : null;
    }

    /** Returns what a request carries, null for nothing. */
    @Nullable TraceContext traceContext() {
        return TraceContext.parse(parent, state);
    }
}
