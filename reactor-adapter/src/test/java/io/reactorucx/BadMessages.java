package io.reactorucx;

import static io.reactorucx.BadInput.onError;
import static io.reactorucx.BadInput.thrown;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.BadInput.Tried;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.transport.frame.ReservedMessageIds;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Wrong uses of active messages and tags. */
final class BadMessages {

    private static final MemorySegment NO_HEADER = MemorySegment.NULL;
    private static final int[] BAD_IDS = IntStream.concat(IntStream.of(-1, 65_536, Integer.MIN_VALUE,
            Integer.MAX_VALUE), IntStream.rangeClosed(ReservedMessageIds.FIRST, ReservedMessageIds.LAST)).toArray();

    private final List<BadInput> cases = new ArrayList<>();

    private BadMessages() {
        sends();
        copies();
        leases();
        receives();
        fetches();
        tags();
        flowControlled();
    }

    static List<BadInput> all() {
        return new BadMessages().cases;
    }

    private void flowControlled() {
        cases.add(thrown("UcxOutbound.send(Publisher)", "null", NullPointerException.class,
                tried -> tried.connection().outbound().send(null), "messages"));
        cases.add(thrown("UcxOutbound.sendByteArrays(Publisher)", "null", NullPointerException.class,
                tried -> tried.connection().outbound().sendByteArrays(null), "messages"));
        cases.add(thrown("UcxOutbound.sendStrings(Publisher)", "null", NullPointerException.class,
                tried -> tried.connection().outbound().sendStrings(null), "messages"));
        cases.add(thrown("UcxOutbound.send(Publisher,MessageEncoder)", "null", NullPointerException.class,
                tried -> tried.connection().outbound().send(null, new PatternEncoder()), "values"));
        cases.add(thrown("UcxOutbound.send(Publisher,MessageEncoder)", "Mono, null", NullPointerException.class,
                tried -> tried.connection().outbound().send(Mono.just(1), null), "encoder"));
        cases.add(thrown("UcxInbound.receive(MessageDecoder)", "null", NullPointerException.class,
                tried -> tried.connection().inbound().receive(null), "decoder"));
        requests();
    }

    private void requests() {
        Class<NullPointerException> missing = NullPointerException.class;
        for (String answer : List.of("fireAndForget", "requestResponse", "requestStream")) {
            cases.add(thrown("UcxRequester." + answer + "(byte[])", "null",
                    missing, tried -> request(tried, answer, (byte[]) null), "request"));
            cases.add(thrown("UcxRequester." + answer + "(UcxBuffer)", "null",
                    missing, tried -> request(tried, answer, (UcxBuffer) null),
                    "request"));
        }
        cases.add(thrown("UcxRequester.requestChannel(Publisher)", "null", missing,
                tried -> tried.connection().requester().requestChannel(null), "requests"));
        for (Duration deadline : List.of(Duration.ofNanos(1), Duration.ofMillis(-1), Duration.ofDays(2))) {
            cases.add(thrown("UcxRequester.withDeadline(Duration)", "deadline " + deadline,
                    IllegalArgumentException.class,
                    tried -> tried.connection().requester().withDeadline(deadline), "deadline " + deadline, "1 ms"));
        }
        cases.add(thrown("UcxConnection.respond(UcxResponder)", "null",
                missing, tried -> tried.connection().respond(null), "responder"));
        cases.add(thrown("UcxServer.respond(UcxResponder)", "null",
                missing, tried -> UcxServer.create(tried.resources()).respond(null),
                "responder"));
    }

    private static Object request(Tried tried, String answer, byte[] request) {
        UcxRequester requester = tried.connection().requester();
        return switch (answer) {
            case "fireAndForget" -> requester.fireAndForget(request);
            case "requestResponse" -> requester.requestResponse(request);
            default -> requester.requestStream(request);
        };
    }

    private static Object request(Tried tried, String answer, UcxBuffer request) {
        UcxRequester requester = tried.connection().requester();
        return switch (answer) {
            case "fireAndForget" -> requester.fireAndForget(request);
            case "requestResponse" -> requester.requestResponse(request);
            default -> requester.requestStream(request);
        };
    }

    private void sends() {
        String plain = "ActiveMessages.send(int,MemorySegment)";
        ids(plain, (tried, id) -> tried.messages().send(id, tried.good));
        memory(cases, plain, "payload", (tried, memory) -> tried.messages().send(Tried.ID, memory));

        String withHeader = "ActiveMessages.send(int,MemorySegment,MemorySegment)";
        ids(withHeader, (tried, id) -> tried.messages().send(id, NO_HEADER, tried.good));
        memory(cases, withHeader, "payload", (tried, memory) -> tried.messages().send(Tried.ID, NO_HEADER, memory));
        header(withHeader, (tried, header) -> tried.messages().send(Tried.ID, header, tried.good));

        String full = "ActiveMessages.send(int,MemorySegment,MemorySegment,AmProtocol)";
        for (AmProtocol protocol : AmProtocol.values()) {
            memory(cases, full, "payload", (tried, memory) -> tried.messages()
                    .send(Tried.ID, NO_HEADER, memory, protocol));
        }
        ids(full, (tried, id) -> tried.messages().send(id, NO_HEADER, tried.good, AmProtocol.EAGER));
        header(full, (tried, header) -> tried.messages().send(Tried.ID, header, tried.good, AmProtocol.EAGER));
        cases.add(thrown(full, "no protocol", NullPointerException.class,
                tried -> tried.messages().send(Tried.ID, NO_HEADER, tried.good, null), "protocol"));

        String reply = "ActiveMessage.reply(int,MemorySegment,MemorySegment)";
        ids(reply, (tried, id) -> tried.offer().reply(id, NO_HEADER, tried.good));
        memory(cases, reply, "payload", (tried, memory) -> tried.offer().reply(Tried.ID, NO_HEADER, memory));
        header(reply, (tried, header) -> tried.offer().reply(Tried.ID, header, tried.good));
    }

    private void copies() {
        String copy = "ActiveMessages.send(int,byte[])";
        ids(copy, (tried, id) -> tried.messages().send(id, new byte[1]));
        cases.add(thrown(copy, "null", NullPointerException.class, tried -> tried.messages()
                .send(Tried.ID, (byte[]) null), "payload"));
    }

    private void leases() {
        String lease = "ActiveMessages.send(int,MemorySegment,UcxBuffer,AmProtocol)";
        ids(lease, (tried, id) -> tried.messages().send(id, NO_HEADER, tried.foreign, AmProtocol.AUTO));
        header(lease, (tried, header) -> withLease(tried, buffer -> tried.messages()
                .send(Tried.ID, header, buffer, AmProtocol.AUTO)));
        cases.add(thrown(lease, "no lease", NullPointerException.class,
                tried -> tried.messages().send(Tried.ID, NO_HEADER, (UcxBuffer) null, AmProtocol.AUTO), "payload"));
        cases.add(thrown(lease, "no protocol", NullPointerException.class,
                tried -> tried.messages().send(Tried.ID, NO_HEADER, tried.foreign, null), "protocol"));
        cases.add(onError(lease, "lease that was released", IllegalStateException.class,
                tried -> tried.messages().send(Tried.ID, NO_HEADER, tried.released, AmProtocol.AUTO),
                "buffer of 16 bytes", "released"));
        for (AmProtocol protocol : AmProtocol.values()) {
            cases.add(onError(lease, "lease of other resources, " + protocol, IllegalArgumentException.class,
                    tried -> tried.messages().send(Tried.ID, NO_HEADER, tried.foreign, protocol), "registration",
                    "context"));
        }
    }

    private static Publisher<?> withLease(Tried tried, Function<UcxBuffer, Publisher<?>> use) {
        UcxBuffer buffer = tried.resources().buffers().acquire(16);
        try {
            return Flux.from(use.apply(buffer)).doFinally(signal -> buffer.release());
        } catch (RuntimeException e) {
            buffer.release();
            throw e;
        }
    }

    private void receives() {
        String receive = "ActiveMessages.receive(int)";
        ids(receive, (tried, id) -> tried.messages().receive(id));
        cases.add(onError(receive, "a second time", IllegalStateException.class,
                tried -> tried.peers.served().activeMessages().receive(Tried.ID), "active message " + Tried.ID,
                "receiver for it already"));
    }

    private void fetches() {
        String fetch = "ActiveMessage.fetch(MemorySegment)";
        cases.add(thrown(fetch, "null", NullPointerException.class, tried -> tried.offer().fetch((MemorySegment) null),
                "destination"));
        cases.add(onError(fetch, "too small", IllegalArgumentException.class,
                tried -> tried.offer().fetch(Bytes.zeroed(Tried.OFFER_BYTES - 1)), "destination of 49999 bytes",
                "50000"));
        cases.add(onError(fetch, "read-only", IllegalArgumentException.class,
                tried -> tried.offer().fetch(Bytes.zeroed(Tried.OFFER_BYTES).asReadOnly()), "destination",
                "read-only"));
        cases.add(onError(fetch, "on the heap", IllegalArgumentException.class,
                tried -> tried.offer().fetch(MemorySegment.ofArray(new byte[Tried.OFFER_BYTES])), "destination",
                "Java heap"));
        cases.add(onError(fetch, "of a closed arena", IllegalArgumentException.class,
                tried -> tried.offer().fetch(tried.largeClosed), "destination", "closed"));
        cases.add(onError(fetch, "of an arena that could be closed", IllegalArgumentException.class,
                tried -> tried.offer().fetch(tried.largeCloseable), "destination", "UcxArena"));
        cases.add(onError(fetch, "of another thread", IllegalArgumentException.class,
                tried -> tried.offer().fetch(tried.largeOfAnotherThread), "destination", "another thread"));

        String lease = "ActiveMessage.fetch(UcxBufferPool)";
        cases.add(thrown(lease, "null", NullPointerException.class, tried -> tried.offer().fetch((UcxBufferPool) null),
                "pool"));
        cases.add(onError(lease, "pool of other resources", IllegalArgumentException.class,
                tried -> tried.offer().fetch(tried.resources().buffers()), "registration", "context"));

        String read = "ActiveMessage.read(UcxBufferPool,Function)";
        cases.add(thrown(read, "no pool", NullPointerException.class,
                tried -> tried.offer().read(null, MemorySegment::byteSize), "pool"));
        cases.add(thrown(read, "no reader", NullPointerException.class,
                tried -> tried.offer().read(tried.resources().buffers(), null), "reader"));
        cases.add(onError(read, "pool of other resources", IllegalArgumentException.class,
                tried -> tried.offer().read(tried.resources().buffers(), MemorySegment::byteSize), "registration",
                "context"));
    }

    private void tags() {
        memory(cases, "Tags.send(long,MemorySegment)", "payload", (tried, memory) -> tried.tags().send(1, memory));
        memory(cases, "Tags.sendSync(long,MemorySegment)",
                "payload", (tried, memory) -> tried.tags().sendSync(1, memory));
        String receive = "Tags.receive(long,MemorySegment)";
        memory(cases, receive, "destination", (tried, memory) -> tried.tags().receive(1, memory));
        cases.add(onError(receive, "read-only", IllegalArgumentException.class,
                tried -> tried.tags().receive(1, tried.good.asReadOnly()), "destination", "read-only"));
        String masked = "Tags.receive(long,long,MemorySegment)";
        memory(cases, masked, "destination", (tried, memory) -> tried.tags().receive(1, -1, memory));
        cases.add(onError(masked, "read-only", IllegalArgumentException.class,
                tried -> tried.tags().receive(1, -1, tried.good.asReadOnly()), "destination", "read-only"));
    }

    private void ids(String method, BiFunction<Tried, Integer, Object> use) {
        for (int id : BAD_IDS) {
            cases.add(thrown(method, "id " + id, IllegalArgumentException.class, tried -> use.apply(tried, id),
                    "id " + id + ":",
                    "0..65535", ReservedMessageIds.range()));
        }
    }

    private void header(String method, BiFunction<Tried, MemorySegment, Object> use) {
        cases.add(thrown(method, "no header", NullPointerException.class, tried -> use.apply(tried, null), "header"));
        cases.add(thrown(method, "header too long", IllegalArgumentException.class, tried -> {
            int most = tried.connection().maxHeaderBytes();
            try {
                return use.apply(tried, MemorySegment.ofArray(new byte[most + 1]));
            } catch (IllegalArgumentException e) {
                assertThat(e).hasMessageContainingAll("" + (most + 1), "at most " + most);
                throw e;
            }
        }, "header of"));
        cases.add(onError(method, "header of a closed arena", IllegalArgumentException.class,
                tried -> (Publisher<?>) use.apply(tried, tried.closed), "header", "closed"));
        cases.add(onError(method, "header of another thread", IllegalArgumentException.class,
                tried -> (Publisher<?>) use.apply(tried, tried.ofAnotherThread), "header", "another thread"));
    }

    /** Memory that UCX must not touch. What is wrong besides null shows when it is posted, on the engine's thread. */
    static void memory(List<BadInput> cases, String method, String argument, BiFunction<Tried, MemorySegment,
            Publisher<?>> use) {
        cases.add(thrown(method, "no " + argument, NullPointerException.class, tried -> use.apply(tried, null),
                argument));
        cases.add(onError(method, argument + " on the heap",
                IllegalArgumentException.class, tried -> use.apply(tried, tried.heap),
                argument, "16 bytes", "Java heap"));
        cases.add(onError(method, argument + " of a closed arena", IllegalArgumentException.class,
                tried -> use.apply(tried, tried.closed), argument, "16 bytes", "closed"));
        cases.add(onError(method, argument + " of another thread", IllegalArgumentException.class,
                tried -> use.apply(tried, tried.ofAnotherThread), argument, "16 bytes", "another thread"));
        cases.add(onError(method, argument + " of an arena that could be closed", IllegalArgumentException.class,
                tried -> use.apply(tried, tried.closeable), argument, "1000 bytes", "UcxArena", "Arena.ofAuto()"));
    }
}
