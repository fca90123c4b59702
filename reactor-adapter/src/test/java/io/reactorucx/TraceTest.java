package io.reactorucx;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.micrometer.observation.Observation;
import io.reactorucx.TracedProgram.Tracing;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.Ucx;
import io.reactorucx.message.UcxRequestException;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.observation.UcxObservations;
import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.NoLeaks;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Requests to a server in another process, with spans of OpenTelemetry in the memory of both. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class TraceTest implements NeedsUcx {

    private static final String KEY = "micrometer.observation";
    private static final String NO_SPAN = "0".repeat(16);

    private static ChildJvm process;
    private static UcxResources resources;
    private static int port;

    private Tracing tracing;

    /** A span of either process. */
    private record Seen(String name, String trace, String id, String parent, String kind, String status,
            String outcome) {

        static List<Seen> of(String lines) {
            return lines.isEmpty() ? List.of() : Arrays.stream(lines.split("\n")).map(line -> line.split(",", -1))
                    .map(p -> new Seen(p[0], p[1], p[2], p[3], p[4], p[5], p[6])).toList();
        }
    }

    @BeforeAll
    static void start() {
        if (Ucx.isAvailable()) {
            process = ChildJvm.of(TracedProgram.class).options("-Xmx256m").start();
            port = Integer.parseInt(process.awaitLine(TracedProgram.READY).split(" ")[1]);
            resources = UcxResources.builder().transports("posix", "tcp").build();
        }
    }

    @AfterAll
    static void end() {
        if (resources != null) {
            resources.disposeNow();
            process.close();
        }
    }

    @BeforeEach
    void open() {
        assumeTrue(resources != null, "UCX is not available");
        tracing = new Tracing();
    }

    private static UcxClient plain() {
        return UcxClient.create(resources).remoteAddress("127.0.0.1", port);
    }

    private UcxConnection connect() {
        return plain().observe(UcxObservations.of(tracing.registry)).connectNow();
    }

    private Seen mine(String name) {
        Waits.soon().until(() -> tracing.spans().stream().anyMatch(span -> span.getName().equals(name)));
        return Seen.of(TracedProgram.line(tracing.spans().stream().filter(span -> span.getName().equals(name))
                .findFirst().orElseThrow())).getFirst();
    }

    /** The server's finished spans that are part of a trace, once there are so many. */
    private static List<Seen> served(String trace, int count) {
        UcxConnection asking = plain().connectNow();
        try {
            Waits.soon().until(() -> served(asking, trace).size() >= count);
            return served(asking, trace);
        } finally {
            asking.disposeNow();
        }
    }

    private static List<Seen> served(UcxConnection asking, String trace) {
        return Seen.of(new String(Objects.requireNonNull(asking.requester()
                        .requestResponse(TracedProgram.SPANS.getBytes(UTF_8)).block(Waits.PATIENCE)), UTF_8)).stream()
                .filter(span -> span.trace().equals(trace)).toList();
    }

    private static Seen named(List<Seen> spans, String name) {
        return spans.stream().filter(span -> span.name().equals(name)).findFirst()
                .orElseThrow(() -> new AssertionError(name + " is not among " + spans));
    }

    @Test
    void oneTraceGoesFromTheCallerToTheHandlersOwnSpan() {
        UcxConnection client = connect();
        Observation caller = Observation.start("caller", tracing.registry);

        byte[] response = client.requester().requestResponse("hello".getBytes(UTF_8))
                .contextWrite(context -> context.put(KEY, caller)).block(Waits.PATIENCE);
        caller.stop();
        client.disposeNow();

        assertThat(new String(Objects.requireNonNull(response), UTF_8))
                .as("whether the handler's thread has the observation that is in the context").isEqualTo("hello true");
        Seen root = mine("caller");
        Seen sent = mine("ucx request_response");
        List<Seen> served = served(root.trace(), 2);
        Seen handled = named(served, "ucx handle request_response");
        Seen inner = named(served, "inner");
        assertThat(root.parent()).isEqualTo(NO_SPAN);
        assertThat(sent).extracting(Seen::trace, Seen::parent, Seen::kind, Seen::outcome)
                .containsExactly(root.trace(), root.id(), "CLIENT", "success");
        assertThat(handled).extracting(Seen::parent, Seen::kind, Seen::outcome)
                .containsExactly(sent.id(), "SERVER", "success");
        assertThat(inner.parent()).isEqualTo(handled.id());
        assertThat(served).hasSize(2);
    }

    @Test
    void currentObservationOfTheThreadIsTheParentWithoutOneInTheContext() {
        UcxConnection client = connect();
        Observation caller = Observation.start("caller", tracing.registry);

        try (Observation.Scope _ = caller.openScope()) {
            client.requester().requestResponse("hello".getBytes(UTF_8)).block(Waits.PATIENCE);
        }
        caller.stop();
        client.disposeNow();

        assertThat(mine("ucx request_response").parent()).isEqualTo(mine("caller").id());
    }

    @Test
    void errorsEndTheSpansOfBothSides() {
        UcxConnection client = connect();

        assertThat(Waits.failure(client.requester().requestResponse(TracedProgram.FAIL.getBytes(UTF_8)).toFuture()))
                .isInstanceOf(UcxRequestException.class);
        client.disposeNow();

        Seen sent = mine("ucx request_response");
        assertThat(sent).extracting(Seen::status, Seen::outcome).containsExactly("ERROR", "error");
        assertThat(named(served(sent.trace(), 1), "ucx handle request_response"))
                .extracting(Seen::parent, Seen::status, Seen::outcome).containsExactly(sent.id(), "ERROR", "error");
    }

    @Test
    void cancelEndsTheSpansOfBothSides() {
        UcxConnection client = connect();
        Disposable request = client.requester().requestResponse(TracedProgram.NEVER.getBytes(UTF_8)).subscribe();
        // The next request comes to the server behind the first one.
        client.requester().requestStream(new byte[1]).blockLast(Waits.PATIENCE);

        request.dispose();

        Seen sent = mine("ucx request_response");
        assertThat(sent.outcome()).isEqualTo("cancelled");
        assertThat(named(served(sent.trace(), 1), "ucx handle request_response"))
                .extracting(Seen::parent, Seen::outcome).containsExactly(sent.id(), "cancelled");
        client.disposeNow();
    }

    @Test
    void streamsChannelsAndRequestsWithoutAResponseHaveSpansToo() {
        UcxConnection client = connect();

        client.requester().requestStream(new byte[1]).blockLast(Waits.PATIENCE);
        client.requester().requestChannel(Flux.range(0, 3).map(i -> resources.buffers().copyOf(new byte[20_000])))
                .doOnNext(UcxBuffer::release).blockLast(Waits.PATIENCE);
        client.requester().fireAndForget(new byte[50_000]).block(Waits.PATIENCE);
        client.disposeNow();

        for (String kind : List.of("request_stream CLIENT SERVER", "request_channel CLIENT SERVER",
                "fire_and_forget PRODUCER CONSUMER")) {
            String[] parts = kind.split(" ");
            Seen sent = mine("ucx " + parts[0]);
            assertThat(sent).as(kind).extracting(Seen::kind, Seen::outcome).containsExactly(parts[1], "success");
            assertThat(named(served(sent.trace(), 1), "ucx handle " + parts[0])).as(kind)
                    .extracting(Seen::parent, Seen::kind, Seen::outcome)
                    .containsExactly(sent.id(), parts[2], "success");
        }
    }

    @Test
    void requestOfAClientWithoutAnObserverBeginsATrace() {
        UcxConnection client = plain().connectNow();
        client.requester().requestResponse("first".getBytes(UTF_8)).block(Waits.PATIENCE);

        List<Seen> all = Seen.of(new String(Objects.requireNonNull(client.requester()
                .requestResponse(TracedProgram.SPANS.getBytes(UTF_8)).block(Waits.PATIENCE)), UTF_8));
        client.disposeNow();

        assertThat(all.stream().filter(span -> span.name().equals("ucx handle request_response")))
                .anySatisfy(span -> assertThat(span.parent()).isEqualTo(NO_SPAN));
    }

    @Test
    void sendsAndHandlersAreObserved() {
        UcxBoundServer server = UcxServer.create(resources).observe(UcxObservations.of(tracing.registry))
                .handle((in, out) -> in.receive().doOnNext(UcxBuffer::release).then()).bindNow();
        UcxConnection client = plain().remoteAddress("127.0.0.1", server.port())
                .observe(UcxObservations.of(tracing.registry)).connectNow();

        client.outbound().sendStrings(Flux.just("a", "b")).block(Waits.PATIENCE);
        Mono<Void> failing = client.outbound().sendStrings(Flux.error(new IllegalStateException("no source")));
        assertThat(Waits.failure(failing.toFuture())).hasMessage("no source");
        client.disposeNow();

        Waits.soon().until(() -> tracing.spans().size() == 3);
        assertThat(tracing.spans().stream().map(TracedProgram::line).map(Seen::of).map(List::getFirst)
                .map(span -> span.name() + " " + span.outcome())).contains("ucx send success", "ucx send error")
                .anySatisfy(span -> assertThat(span).startsWith("ucx handler "));
        server.disposeNow();
    }

    @Test
    void serverWithoutAnObserverTakesRequestsWithATrace() {
        UcxBoundServer server = UcxServer.create(resources).respond(new EchoResponder()).bindNow();
        UcxConnection client = plain().remoteAddress("127.0.0.1", server.port())
                .observe(UcxObservations.of(tracing.registry)).connectNow();

        for (int size : new int[] {0, 8, 16_300, 16_384, 200_000}) {
            assertThat(client.requester().requestResponse(new byte[size]).block(Waits.PATIENCE)).hasSize(size);
        }

        client.disposeNow();
        server.disposeNow();
        assertThat(tracing.spans()).hasSize(5);
    }

    /** Returns what it gets. */
    private static final class EchoResponder implements UcxResponder {

        @Override
        public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
            return Mono.just(request);
        }
    }
}
