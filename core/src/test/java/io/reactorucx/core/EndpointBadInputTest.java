package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.core.internal.worker.SlotMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
class EndpointBadInputTest extends BadInput {

    private final MemorySegment good = Pair.pattern(16);
    /** A size of which nothing is copied within the call. */
    private final MemorySegment large = Pair.pattern(SlotMemory.BYTES + 1L);
    private UcpMemory window;
    private UcpRemoteKey key;

    @BeforeEach
    void openWindow() {
        window = pair.context.allocate(1000);
        key = pair.toServer.unpack(window.descriptor());
    }

    @AfterEach
    void closeWindow() {
        key.close();
        window.close();
    }

    /** An operation that takes local memory, by the name of that argument. */
    private enum WithMemory {
        AM_SEND("payload") {
            @Override
            void post(UcpEndpoint endpoint, MemorySegment memory, UcpMemory registration, UcpRemoteKey key,
                    Completion done) {
                endpoint.amSend(Pair.ID, Pair.EMPTY, memory, registration, AmProtocol.AUTO, false, done);
            }
        },
        TAG_SEND("payload") {
            @Override
            void post(UcpEndpoint endpoint, MemorySegment memory, UcpMemory registration, UcpRemoteKey key,
                    Completion done) {
                endpoint.tagSend(memory, registration, 1, done);
            }
        },
        TAG_SEND_SYNC("payload") {
            @Override
            void post(UcpEndpoint endpoint, MemorySegment memory, UcpMemory registration, UcpRemoteKey key,
                    Completion done) {
                endpoint.tagSendSync(memory, registration, 1, done);
            }
        },
        PUT("source") {
            @Override
            void post(UcpEndpoint endpoint, MemorySegment memory, UcpMemory registration, UcpRemoteKey key,
                    Completion done) {
                endpoint.put(memory, registration, key, 0, done);
            }
        },
        GET("destination") {
            @Override
            void post(UcpEndpoint endpoint, MemorySegment memory, UcpMemory registration, UcpRemoteKey key,
                    Completion done) {
                endpoint.get(memory, registration, key, 0, done);
            }
        },
        TAG_RECEIVE("destination") {
            @Override
            void post(UcpEndpoint endpoint, MemorySegment memory, UcpMemory registration, UcpRemoteKey key,
                    Completion done) {
                endpoint.worker().tags().receive(memory, registration, 99, -1, done);
            }
        };

        private final String argument;

        WithMemory(String argument) {
            this.argument = argument;
        }

        abstract void post(UcpEndpoint endpoint, MemorySegment memory, UcpMemory registration, UcpRemoteKey key,
                Completion done);
    }

    @ParameterizedTest
    @EnumSource(WithMemory.class)
    void refusesMemoryThatUcxMustNotTouch(WithMemory operation) {
        assertThatThrownBy(() -> operation.post(pair.toServer, null, null, key, NEVER))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining(operation.argument);
        assertThatThrownBy(() -> operation.post(pair.toServer, heap(), null, key, NEVER))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(operation.argument).hasMessageContaining("Java heap");
        assertThatThrownBy(() -> operation.post(pair.toServer, inClosedArena(), null, key, NEVER))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining(operation.argument)
                .hasMessageContaining("closed");
        try (OfAnotherThread other = new OfAnotherThread()) {
            assertThatThrownBy(() -> operation.post(pair.toServer, other.segment(), null, key, NEVER))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining(operation.argument)
                    .hasMessageContaining("another thread");
        }
        assertThat(pair.toServer.inFlight()).isZero();
        assertThat(pair.client.inFlight()).isZero();
    }

    @ParameterizedTest
    @EnumSource(value = WithMemory.class, names = {"GET", "TAG_RECEIVE"})
    void refusesReadOnlyDestination(WithMemory operation) {
        assertThatThrownBy(() -> operation.post(pair.toServer, good.asReadOnly(), null, key, NEVER))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("destination")
                .hasMessageContaining("read-only");
    }

    @ParameterizedTest
    @EnumSource(WithMemory.class)
    void refusesRegistrationThatIsNotOfTheMemory(WithMemory operation) {
        for (MemorySegment memory : List.of(good, large)) {
            assertThatThrownBy(() -> operation.post(pair.toServer, memory, window, key, NEVER))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("registration");
        }
        MemorySegment tooLong = MemorySegment.ofAddress(window.segment().address()).reinterpret(1001);
        assertThatThrownBy(() -> operation.post(pair.toServer, tooLong.asSlice(990), window, key, NEVER))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("registration");
        assertThat(pair.client.inFlight()).isZero();
    }

    @ParameterizedTest
    @EnumSource(WithMemory.class)
    void refusesRegistrationThatHasEnded(WithMemory operation) {
        for (MemorySegment memory : List.of(good, large)) {
            UcpMemory ended = pair.context.register(memory);
            ended.close();
            assertThatThrownBy(() -> operation.post(pair.toServer, memory, ended, key, NEVER))
                    .isInstanceOf(UcxClosedException.class)
                    .hasMessageContaining("registered memory");
        }
        assertThat(pair.toServer.inFlight()).isZero();
        assertThat(pair.client.inFlight()).isZero();
    }

    @ParameterizedTest
    @EnumSource(WithMemory.class)
    void refusesRegistrationOfAnotherContext(WithMemory operation) {
        try (UcpContext other = UcpContext.create(UcpConfig.builder().name("elsewhere").transports("tcp").build())) {
            for (MemorySegment memory : List.of(good, large)) {
                try (UcpMemory foreign = other.register(memory)) {
                    assertThatThrownBy(() -> operation.post(pair.toServer, memory, foreign, key, NEVER))
                            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("registration")
                            .hasMessageContaining("context elsewhere");
                }
            }
        }
        assertThat(pair.toServer.inFlight()).isZero();
        assertThat(pair.client.inFlight()).isZero();
    }

    @ParameterizedTest
    @EnumSource(WithMemory.class)
    void refusesMissingCompletion(WithMemory operation) {
        assertThatThrownBy(() -> operation.post(pair.toServer, good, null, key, null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("whenDone");
        assertThat(pair.client.inFlight()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 65536, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void refusesIdOutOfRange(int id) {
        assertThatThrownBy(() -> pair.toServer.amSend(id, Pair.EMPTY, good, null, AmProtocol.AUTO, false, NEVER))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("id " + id)
                .hasMessageContaining("0..65535");
    }

    @Test
    void refusesHeaderThatCannotBeSent() {
        MemorySegment tooLong = MemorySegment.ofArray(new byte[pair.client.maxHeaderBytes() + 1]);
        assertThatThrownBy(() -> amSend(tooLong)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("header")
                .hasMessageContaining("at most " + pair.client.maxHeaderBytes());
        assertThatThrownBy(() -> amSend(null)).isInstanceOf(NullPointerException.class).hasMessageContaining("header");
        assertThatThrownBy(() -> amSend(inClosedArena())).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("header");
        try (OfAnotherThread other = new OfAnotherThread()) {
            assertThatThrownBy(() -> amSend(other.segment())).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("header");
        }
        assertThat(pair.toServer.inFlight()).isZero();
    }

    private void amSend(MemorySegment header) {
        pair.toServer.amSend(Pair.ID, header, good, null, AmProtocol.AUTO, false, NEVER);
    }

    @Test
    void refusesMissingArguments() {
        assertThatThrownBy(() -> pair.toServer.amSend(Pair.ID, Pair.EMPTY, good, null, null, false, NEVER))
                .isInstanceOf(NullPointerException.class).hasMessageContaining("protocol");
        assertThatThrownBy(() -> pair.toServer.unpack(null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("descriptor");
        assertThatThrownBy(() -> pair.toServer.put(good, null, null, 0, NEVER)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("key");
        assertThatThrownBy(() -> pair.toServer.get(good, null, null, 0, NEVER)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("key");
        assertThatThrownBy(() -> pair.toServer.flush(null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("whenDone");
        assertThatThrownBy(() -> pair.toServer.close(null, NEVER)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("mode");
        assertThatThrownBy(() -> pair.toServer.close(CloseMode.FORCE, null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("whenDone");
        assertThat(pair.toServer.isClosed()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(longs = {985, 1000, 1001, -1, Long.MAX_VALUE, Long.MAX_VALUE - 15, Long.MIN_VALUE, -16})
    void refusesRemoteRangeOutOfBounds(long offset) {
        assertThatThrownBy(() -> pair.toServer.put(good, null, key, offset, NEVER))
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContaining("remote memory").hasMessageContaining(Long.toString(offset))
                .hasMessageContaining("1000");
        assertThatThrownBy(() -> pair.toServer.get(good, null, key, offset, NEVER))
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContaining("remote memory");
        assertThatThrownBy(() -> pair.toServer.put(large, null, key, offset, NEVER))
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContaining("remote memory");
        assertThat(pair.client.inFlight()).isZero();
    }

    @Test
    void refusesKeyOfAnotherEndpoint() {
        UcpRemoteKey foreign = pair.toClient.unpack(window.descriptor());
        assertThatThrownBy(() -> pair.toServer.put(good, null, foreign, 0, NEVER))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("remoteKey");
        assertThatThrownBy(() -> pair.toServer.get(good, null, foreign, 0, NEVER))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("remoteKey");
        assertThatThrownBy(() -> pair.toServer.put(large, null, foreign, 0, NEVER))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("remoteKey");
        foreign.close();
    }

    @Test
    void refusesKeyThatIsClosed() {
        key.close();
        key.close();
        assertThatThrownBy(() -> pair.toServer.put(good, null, key, 0, NEVER)).isInstanceOf(UcxClosedException.class)
                .hasMessageContaining("remote key");
        assertThatThrownBy(() -> pair.toServer.put(large, null, key, 0, NEVER)).isInstanceOf(UcxClosedException.class);
        assertThatThrownBy(() -> pair.toServer.get(good, null, key, 0, NEVER)).isInstanceOf(UcxClosedException.class);
    }

    @Test
    void refusesFlushingCloseWithOperationInFlight() {
        Outcome sent = pair.send(Pair.EMPTY, Pair.pattern(1 << 20), AmProtocol.RENDEZVOUS);
        assertThatThrownBy(() -> pair.toServer.close(CloseMode.FLUSH, NEVER)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("mode FLUSH").hasMessageContaining("1 operations");
        pair.server.activeMessages().release(pair.awaitMessage());
        pair.awaitOk(sent);
    }

    @Test
    void refusesFlushingCloseUnderReceiveThatMayHaveMatched() {
        Outcome received = new Outcome();
        long receive = pair.client.tags().receive(Pair.pattern(1 << 20), null, 5, -1, received);
        assertThatThrownBy(() -> pair.toServer.close(CloseMode.FLUSH, NEVER)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("mode FLUSH").hasMessageContaining("1 receives of the worker");
        assertThat(pair.toServer.isClosed()).isFalse();
        assertThat(pair.toServer.mayFlush()).isFalse();

        pair.client.tags().cancel(receive);

        assertThat(pair.await(received)).isEqualTo(UcxStatus.CANCELED);
        assertThat(pair.toServer.mayFlush()).isTrue();
    }

    @Test
    void refusesFlushingCloseWithHeldOffer() {
        Outcome sent = pair.send(Pair.EMPTY, Pair.pattern(1 << 20), AmProtocol.RENDEZVOUS);
        UcpActiveMessage offer = pair.awaitMessage();
        assertThatThrownBy(() -> pair.toClient.close(CloseMode.FLUSH, NEVER)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("mode FLUSH").hasMessageContaining("1 offers held");
        assertThat(pair.toClient.isClosed()).isFalse();

        pair.server.activeMessages().release(offer);

        assertThat(pair.toClient.mayFlush()).isTrue();
        pair.awaitOk(sent);
    }

    @Test
    void refusesForceWithoutFailureHandling() {
        try (Pair other = Pair.of(Link.POSIX_NONE)) {
            assertThatThrownBy(() -> other.toServer.close(CloseMode.FORCE, NEVER))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("mode FORCE").hasMessageContaining("PEER");
            assertThat(other.toServer.isClosed()).isFalse();
            other.assertStillWorks();
        }
    }

    @Test
    void refusesEstimateWhereUcxReadsPastItsInterfaces() {
        UcpConfig config = UcpConfig.builder().name("unified").transports("tcp").setting("UNIFIED_MODE", "y").build();
        try (UcpContext unified = UcpContext.create(config);
                UcpWorker worker = unified.createWorker(UcpWorkerConfig.of("unified"))) {
            UcpEndpoint endpoint = worker.connect(worker.address(), pair.options(ErrorMode.PEER, "itself"));
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> endpoint.estimateNanos(1)).isInstanceOf(UcxUnsupportedException.class)
                        .hasMessageContaining("ep_evaluate_perf").hasMessageContaining("UNIFIED_MODE");
            }
            Outcome closed = Outcome.of(done -> endpoint.close(CloseMode.FORCE, done));
            Pair.until(worker::progress, () -> closed.isDone() && worker.inFlight() == 0, "a closed endpoint");
        }
    }

    static Stream<Arguments> everyMethod() {
        MemorySegment memory = Pair.pattern(8);
        return Stream.of(
                argumentSet("amSend", (Use) e -> e.amSend(1, Pair.EMPTY, memory, null, AmProtocol.AUTO, false, NEVER)),
                argumentSet("tagSend", (Use) e -> e.tagSend(memory, null, 1, NEVER)),
                argumentSet("tagSendSync", (Use) e -> e.tagSendSync(memory, null, 1, NEVER)),
                argumentSet("unpack", (Use) e -> e.unpack(new MemoryDescriptor(4096, 10, new byte[10]))),
                argumentSet("flush", (Use) e -> e.flush(NEVER)), argumentSet("info", (Use) UcpEndpoint::info),
                argumentSet("transports", (Use) UcpEndpoint::transports),
                argumentSet("estimateNanos", (Use) e -> e.estimateNanos(1)),
                argumentSet("close", (Use) e -> e.close(CloseMode.FORCE, NEVER)));
    }

    /** One use of an endpoint. */
    interface Use {
        void of(UcpEndpoint endpoint);
    }

    @ParameterizedTest
    @MethodSource("everyMethod")
    void refusesEveryUseOfClosedEndpoint(Use use) {
        UcpEndpoint closed = pair.client.connect(pair.server.address(), pair.options(ErrorMode.PEER, "to be closed"));
        pair.run(closed::flush);
        pair.run(done -> closed.close(CloseMode.FORCE, done));
        assertThatThrownBy(() -> use.of(closed)).isInstanceOf(UcxClosedException.class)
                .hasMessageContaining("to be closed")
                .hasMessageContaining("the endpoint is closed");
        assertThat(pair.client.endpoints()).isEqualTo(List.of(pair.toServer));
    }

    @ParameterizedTest
    @MethodSource("everyMethod")
    void refusesEveryUseOnAnotherThread(Use use) {
        assertThat(thrownOnAnotherThread(() -> use.of(pair.toServer))).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("it belongs to the thread");
        assertThat(pair.toServer.isClosed()).isFalse();
    }

    @Test
    void refusesUseOfKeyOnAnotherThread() {
        assertThat(thrownOnAnotherThread(key::close)).isInstanceOf(IllegalStateException.class);
        assertThat(thrownOnAnotherThread(() -> pair.toServer.put(good, null, key, 0, NEVER)))
                .isInstanceOf(IllegalStateException.class);
        pair.run(done -> pair.toServer.put(good, null, key, 0, done));
        pair.run(pair.toServer::flush);
    }

    @Test
    void takesKeyAwayWhenEndpointCloses() {
        UcpEndpoint closed = pair.client.connect(pair.server.address(), pair.options(ErrorMode.PEER, "to be closed"));
        pair.run(closed::flush);
        UcpRemoteKey ofClosed = closed.unpack(window.descriptor());
        pair.run(done -> closed.close(CloseMode.FORCE, done));
        assertThatThrownBy(() -> closed.put(good, null, ofClosed, 0, NEVER)).isInstanceOf(UcxClosedException.class);
        ofClosed.close();
    }

    @Test
    void refusesOperationsWithoutTheirFeatures() {
        try (Features only = Features.of(UcpFeature.TAG)) {
            assertThatThrownBy(() -> only.endpoint.amSend(1, Pair.EMPTY, good, null, AmProtocol.AUTO, false, NEVER))
                    .isInstanceOf(UcxUnsupportedException.class).hasMessageContaining("am_send")
                    .hasMessageContaining("AM");
            assertThatThrownBy(() -> only.endpoint.unpack(window.descriptor()))
                    .isInstanceOf(UcxUnsupportedException.class)
                    .hasMessageContaining("RMA");
            assertThatThrownBy(() -> only.endpoint.put(good, null, key, 0, NEVER))
                    .isInstanceOf(UcxUnsupportedException.class)
                    .hasMessageContaining("RMA");
            assertThatThrownBy(() -> only.endpoint.get(good, null, key, 0, NEVER))
                    .isInstanceOf(UcxUnsupportedException.class)
                    .hasMessageContaining("RMA");
            assertThatThrownBy(() -> only.worker.activeMessages().handler(1, message -> { }))
                    .isInstanceOf(UcxUnsupportedException.class)
                    .hasMessageContaining("AM");
        }
        try (Features only = Features.of(UcpFeature.AM)) {
            assertThatThrownBy(() -> only.endpoint.tagSend(good, null, 1, NEVER))
                    .isInstanceOf(UcxUnsupportedException.class)
                    .hasMessageContaining("TAG");
            assertThatThrownBy(() -> only.endpoint.tagSendSync(good, null, 1, NEVER))
                    .isInstanceOf(UcxUnsupportedException.class)
                    .hasMessageContaining("TAG");
            assertThatThrownBy(() -> only.worker.tags().receive(Arena.ofAuto().allocate(1), null, 1, 1, NEVER))
                    .isInstanceOf(UcxUnsupportedException.class).hasMessageContaining("TAG");
        }
    }

    /** A worker connected to itself, with a single feature. */
    private record Features(UcpContext context, UcpWorker worker, UcpEndpoint endpoint) implements AutoCloseable {

        static Features of(UcpFeature feature) {
            UcpContext context = UcpContext.create(UcpConfig.builder().features(feature).transports("self").build());
            UcpWorker worker = context.createWorker(UcpWorkerConfig.of(feature.name()));
            EndpointOptions options = new EndpointOptions(ErrorMode.NONE, "itself", (failed, status) -> { });
            return new Features(context, worker, worker.connect(worker.address(), options));
        }

        @Override
        public void close() {
            Outcome closed = Outcome.of(done -> endpoint.close(CloseMode.FLUSH, done));
            Pair.until(worker::progress, closed::isDone, "a closed endpoint");
            worker.close();
            context.close();
        }
    }
}
