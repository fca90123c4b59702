package io.reactorucx.observation;

import io.micrometer.observation.Observation;
import io.reactorucx.message.TraceContext;
import io.reactorucx.message.UcxObserver.Outcome;
import io.reactorucx.message.UcxObserver.Scope;
import io.reactorucx.message.UcxObserver.Span;
import io.reactorucx.observation.UcxObservationDocumentation.LowCardinality;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;

/** An observation of Micrometer as a span. */
final class ObservationSpan implements Span {

    private final Observation observation;
    private final @Nullable TraceCarrier sent;

    /** Takes an observation that has started, and what it has written for the peer. */
    ObservationSpan(Observation observation, @Nullable TraceCarrier sent) {
        this.observation = observation;
        this.sent = sent;
    }

    @Override
    public @Nullable TraceContext traceContext() {
        return sent == null ? null : sent.traceContext();
    }

    @Override
    public Context addTo(Context context) {
        return context.put(UcxObservations.KEY, observation);
    }

    @Override
    public Scope open() {
        Observation.Scope scope = observation.openScope();
        return scope::close;
    }

    @Override
    public void end(Outcome outcome, @Nullable Throwable error) {
        observation.lowCardinalityKeyValue(LowCardinality.OUTCOME.withValue(outcome.lowerCase()));
        if (error != null) {
            observation.error(error);
        }
        if (outcome == Outcome.CANCELLED) {
            observation.event(Observation.Event.of("cancelled"));
        }
        observation.stop();
    }
}
