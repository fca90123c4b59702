package io.reactorucx;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler.FirstMatchingCompositeObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingSenderTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelPropagator;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.observation.UcxObservations;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A server with spans of OpenTelemetry, kept in memory, in a process of its own. A request gets them as text. */
final class TracedProgram {

    static final String READY = "port ";
    static final String SPANS = "spans";
    static final String FAIL = "fail";
    static final String NEVER = "never";

    private TracedProgram() {
    }

    /** Spans that are kept in memory, and a registry that makes them of observations. */
    static final class Tracing {

        final ObservationRegistry registry = ObservationRegistry.create();
        private final InMemorySpanExporter exporter = InMemorySpanExporter.create();

        Tracing() {
            SdkTracerProvider provider = SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(exporter)).build();
            OtelCurrentTraceContext current = new OtelCurrentTraceContext();
            OtelTracer tracer = new OtelTracer(provider.get("test"), current, event -> { });
            OtelPropagator propagator = new OtelPropagator(ContextPropagators.create(
                    W3CTraceContextPropagator.getInstance()), provider.get("test"));
            registry.observationConfig().observationHandler(
                    new FirstMatchingCompositeObservationHandler(
                    new PropagatingSenderTracingObservationHandler<>(tracer, propagator),
                    new PropagatingReceiverTracingObservationHandler<>(tracer, propagator),
                    new DefaultTracingObservationHandler(tracer)));
        }

        List<SpanData> spans() {
            return exporter.getFinishedSpanItems();
        }
    }

    /** One span as text. */
    static String line(SpanData span) {
        return String.join(",", span.getName(), span.getTraceId(), span.getSpanId(), span.getParentSpanId(),
                span.getKind().name(), span.getStatus().getStatusCode().name(),
                Objects.requireNonNullElse(span.getAttributes().get(
                        AttributeKey.stringKey("outcome")), "none"));
    }

    /** Answers a request by what it says, within a span of its own. */
    private record Responder(UcxResources resources, Tracing tracing) implements UcxResponder {

        @Override
        public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
            String text = request.toString(StandardCharsets.UTF_8);
            request.release();
            return switch (text) {
                case SPANS -> Mono.fromSupplier(() -> resources.buffers().copyOf(String.join("\n",
                        tracing.spans().stream().map(TracedProgram::line).toList()).getBytes(StandardCharsets.UTF_8)));
                case FAIL -> Mono.error(new IllegalStateException("it failed"));
                case NEVER -> Mono.never();
                default -> inner(text);
            };
        }

        /** The handler's own observation, whose parent is in the context. */
        private Mono<UcxBuffer> inner(String text) {
            Observation current = tracing.registry.getCurrentObservation();
            return Mono.deferContextual(context -> {
                Observation parent = context.get("micrometer.observation");
                Observation.createNotStarted("inner", tracing.registry).parentObservation(parent).observe(() -> { });
                return Mono.fromSupplier(() -> resources.buffers().copyOf((text + " " + (current == parent))
                        .getBytes(StandardCharsets.UTF_8)));
            });
        }

        @Override
        public Flux<UcxBuffer> requestStream(UcxBuffer request) {
            return Flux.just(request);
        }

        @Override
        public Mono<Void> fireAndForget(UcxBuffer request) {
            request.release();
            return Mono.empty();
        }

        @Override
        public Flux<UcxBuffer> requestChannel(Flux<UcxBuffer> requests) {
            return requests;
        }
    }

    /**
     * The process.
     *
     * @param args none
     * @throws IOException when the test's end cannot be awaited
     */
    public static void main(String[] args) throws IOException {
        UcxResources resources = UcxResources.builder().transports("posix", "tcp").build();
        Tracing tracing = new Tracing();
        UcxBoundServer server = UcxServer.create(resources).observe(UcxObservations.of(tracing.registry))
                .respond(new Responder(resources, tracing)).bindNow();
        System.out.println(READY + server.port());
        // Until the test ends this process, or is gone.
        System.in.read();
        resources.disposeNow();
    }
}
