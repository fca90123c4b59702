package io.reactorucx.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.RequestReplyReceiverContext;
import io.micrometer.observation.transport.RequestReplySenderContext;
import io.micrometer.observation.transport.SenderContext;
import io.reactorucx.message.TraceContext;
import io.reactorucx.message.UcxObserver;
import io.reactorucx.observation.UcxObservationDocumentation.HighCardinality;
import io.reactorucx.observation.UcxObservationDocumentation.LowCardinality;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.util.context.ContextView;

/**
 * Makes observations of Micrometer of what is done over connections; {@link UcxObservationDocumentation} lists them.
 * For {@code UcxClient.observe(..)} and {@code UcxServer.observe(..)}.
 *
 * <p>The parent of an observation is the one in the subscriber's context, under the key of Micrometer's
 * {@code ObservationThreadLocalAccessor}, else the current one of the subscribing thread. What runs within an
 * observation finds it in its context. A request carries {@code traceparent} and {@code tracestate}, which the handlers
 * of Micrometer Tracing for {@link SenderContext} and {@link ReceiverContext} write and read; other fields, such as
 * baggage, do not travel. Messages have no place for a trace context.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> none. <b>Errors:</b> what a handler of the registry throws is
 * logged.
 */
// Micrometer is optional, so io.reactorucx does not hand it on: a module without observations compiles without it.
@SuppressWarnings("exports")
public final class UcxObservations implements UcxObserver {

    /** Micrometer's key for the observation in a context; its class needs another library. */
    static final String KEY = "micrometer.observation";

    private final ObservationRegistry registry;

    private UcxObservations(ObservationRegistry registry) {
        this.registry = registry;
    }

    /**
     * Observes by a registry.
     *
     * @param registry the registry, with its handlers
     * @return the observer
     */
    public static UcxObservations of(ObservationRegistry registry) {
        return new UcxObservations(Objects.requireNonNull(registry, "registry"));
    }

    @Override
    public Span start(Activity activity, ContextView context, @Nullable TraceContext remote) {
        if (registry.isNoop()) {
            return Span.NONE;
        }
        TraceCarrier carrier = new TraceCarrier(remote);
        Observation.Context observed = context(activity, carrier);
        Observation observation = Observation.createNotStarted(documentation(activity).getName(), () -> observed,
                        registry).contextualName(contextualName(activity))
                .lowCardinalityKeyValue(LowCardinality.OPERATION.withValue(activity.name()))
                .highCardinalityKeyValue(HighCardinality.PEER.withValue(activity.peer()));
        if (context.<Object>getOrDefault(KEY, null) instanceof Observation parent) {
            observation.parentObservation(parent);
        }
        return new ObservationSpan(observation.start(), activity.kind() == Activity.Kind.REQUEST ? carrier : null);
    }

    private static UcxObservationDocumentation documentation(Activity activity) {
        return switch (activity.kind()) {
            case REQUEST -> UcxObservationDocumentation.REQUEST;
            case RESPONSE -> UcxObservationDocumentation.RESPONSE;
            case SEND -> UcxObservationDocumentation.SEND;
            case HANDLER -> UcxObservationDocumentation.HANDLER;
        };
    }

    private static String contextualName(Activity activity) {
        return switch (activity.kind()) {
            case REQUEST -> "ucx " + activity.name();
            case RESPONSE -> "ucx handle " + activity.name();
            case SEND -> "ucx send";
            case HANDLER -> "ucx handler";
        };
    }

    private static Observation.Context context(Activity activity, TraceCarrier carrier) {
        boolean replies = !activity.name().equals("fire_and_forget");
        return switch (activity.kind()) {
            case REQUEST -> {
                SenderContext<TraceCarrier> context = replies
                        ? new RequestReplySenderContext<TraceCarrier, Object>(TraceCarrier::set)
                        : new SenderContext<>(TraceCarrier::set, Kind.PRODUCER);
                context.setCarrier(carrier);
                yield context;
            }
            case RESPONSE -> {
                ReceiverContext<TraceCarrier> context = replies
                        ? new RequestReplyReceiverContext<TraceCarrier, Object>(TraceCarrier::get)
                        : new ReceiverContext<>(TraceCarrier::get, Kind.CONSUMER);
                context.setCarrier(carrier);
                yield context;
            }
            case SEND, HANDLER -> new Observation.Context();
        };
    }
}
