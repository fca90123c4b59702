package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.testsupport.ChildJvm;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
class WorkerBadInputTest extends BadInput {

    private static final EndpointOptions OPTIONS = new EndpointOptions(ErrorMode.PEER, "nobody",
            (endpoint, status) -> { });

    /** One use of a worker. */
    interface Use {
        void of(UcpWorker worker);
    }

    static Stream<Arguments> everyMethod() {
        UcpActiveMessage message = new UcpActiveMessage(1, new byte[0], 5, 4096, true, null);
        return Stream.of(argumentSet("progress", (Use) UcpWorker::progress), argumentSet("arm", (Use) UcpWorker::arm),
                argumentSet("await", (Use) worker -> worker.await(1)), argumentSet("eventFd", (Use) UcpWorker::eventFd),
                argumentSet("address", (Use) UcpWorker::address),
                argumentSet("networkAddress", (Use) UcpWorker::networkAddress),
                argumentSet("waitForWork", (Use) worker -> worker.waitForWork(1)),
                argumentSet("fence", (Use) UcpWorker::fence), argumentSet("flush", (Use) worker -> worker.flush(NEVER)),
                argumentSet("waitForMemory", (Use) worker -> worker.waitForMemory(Pair.pattern(8))),
                argumentSet("connect by socket address", (Use) worker -> worker.connect(Pair.local(1), OPTIONS)),
                argumentSet("connect by worker address", (Use) worker -> worker.connect(new byte[100], OPTIONS)),
                argumentSet("listen", (Use) worker -> worker.listen(Pair.local(0), request -> { })),
                argumentSet("activeMessages.handler",
                        (Use) worker -> worker.activeMessages().handler(1, received -> { })),
                argumentSet("activeMessages.fetch",
                        (Use) worker -> worker.activeMessages().fetch(message, Pair.pattern(5), null, NEVER)),
                argumentSet("activeMessages.release", (Use) worker -> worker.activeMessages().release(message)),
                argumentSet("tags.receive", (Use) worker -> worker.tags().receive(Pair.pattern(5), null, 1, 1, NEVER)),
                argumentSet("tags.cancel", (Use) worker -> worker.tags().cancel(0)),
                argumentSet("tags.cancelAll", (Use) worker -> worker.tags().cancelAll()),
                argumentSet("info", (Use) UcpWorker::info));
    }

    static Stream<Arguments> everyMethodOfTheOwner() {
        return Stream.concat(everyMethod(), Stream.of(argumentSet("close", (Use) UcpWorker::close),
                argumentSet("abandon", (Use) UcpWorker::abandon), argumentSet("inFlight", (Use) UcpWorker::inFlight),
                argumentSet("activeMessages.held", (Use) worker -> worker.activeMessages().held()),
                argumentSet("endpoints", (Use) UcpWorker::endpoints),
                argumentSet("listeners", (Use) UcpWorker::listeners),
                argumentSet("hasPendingDeliveries", (Use) UcpWorker::hasPendingDeliveries)));
    }

    @ParameterizedTest
    @MethodSource("everyMethod")
    void refusesEveryUseOfClosedWorker(Use use) {
        UcpWorker closed = pair.context.createWorker(UcpWorkerConfig.of("to be closed"));
        closed.close();
        closed.close();
        assertThatThrownBy(() -> use.of(closed)).isInstanceOf(UcxClosedException.class)
                .hasMessageContaining("the worker to be closed is closed");
    }

    @ParameterizedTest
    @MethodSource("everyMethodOfTheOwner")
    void refusesEveryUseOnAnotherThread(Use use) {
        assertThat(thrownOnAnotherThread(() -> use.of(pair.server))).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("worker pair: it belongs to the thread");
        assertThat(pair.server.isClosed()).isFalse();
    }

    @Test
    void takesSignalsOfAnyThreadAlsoAfterClose() {
        UcpWorker worker = pair.context.createWorker(UcpWorkerConfig.of("signalled"));
        Pair.until(worker::progress, worker::arm, "rest");
        Thread.ofPlatform().start(worker::signal);
        assertThat(worker.await(TimeUnit.SECONDS.toNanos(10))).as("woken").isTrue();
        Pair.until(worker::progress, worker::arm, "rest");
        assertThat(worker.await(0)).as("woken without a signal").isFalse();
        worker.close();
        worker.signal();
        assertThat(worker.isClosed()).isTrue();
    }

    @Test
    void refusesMissingArguments() {
        InetSocketAddress address = Pair.local(1);
        assertNull("remote", () -> pair.client.connect((InetSocketAddress) null, OPTIONS));
        assertNull("workerAddress", () -> pair.client.connect((byte[]) null, OPTIONS));
        assertNull("options", () -> pair.client.connect(address, null));
        assertNull("options", () -> pair.client.connect(pair.server.address(), null));
        assertNull("request", () -> pair.client.accept(null, OPTIONS));
        assertNull("bindAddress", () -> pair.client.listen(null, request -> { }));
        assertNull("handler", () -> pair.client.listen(Pair.local(0), null));
        assertNull("message", () -> pair.client.activeMessages().fetch(null, Pair.pattern(1), null, NEVER));
        assertNull("message", () -> pair.client.activeMessages().release(null));
        assertThat(pair.client.endpoints()).containsExactly(pair.toServer);
        assertThat(pair.client.listeners()).isEmpty();
    }

    private static void assertNull(String argument, Runnable call) {
        assertThatThrownBy(call::run).isInstanceOf(NullPointerException.class).hasMessageContaining(argument);
    }

    @Test
    void refusesAddressesThatCannotBeUsed() {
        InetSocketAddress unresolved = InetSocketAddress.createUnresolved("nowhere.invalid", 1);
        assertThatThrownBy(() -> pair.client.connect(unresolved, OPTIONS)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("remote").hasMessageContaining("nowhere.invalid");
        assertThatThrownBy(() -> pair.client.listen(unresolved, request -> { }))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bindAddress");
        for (int bytes : new int[] {0, 8, (64 << 10) + 1}) {
            assertThatThrownBy(() -> pair.client.connect(new byte[bytes], OPTIONS))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("workerAddress of " + bytes + " bytes");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 65536, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void refusesHandlerForIdOutOfRange(int id) {
        assertThatThrownBy(() -> pair.server.activeMessages().handler(id, message -> { }))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("id " + id);
        assertThatThrownBy(() -> pair.server.activeMessages().handler(id, null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("id " + id);
    }

    @Test
    void takesHandlerAwayThatNeverWas() {
        pair.server.activeMessages().handler(500, null);
        pair.run(done -> pair.toServer.amSend(500, Pair.EMPTY, Pair.EMPTY, null, AmProtocol.AUTO, false, done));
    }

    @Test
    void refusesSecondFetchAndRelease() {
        Outcome sent = pair.send(Pair.EMPTY, Pair.pattern(1 << 20), AmProtocol.RENDEZVOUS);
        UcpActiveMessage message = pair.awaitMessage();
        MemorySegment destination = Arena.ofAuto().allocate(1 << 20);
        Outcome fetched = Outcome.of(done -> pair.server.activeMessages().fetch(message, destination, null, done));
        assertOver(message);
        pair.awaitOk(fetched);
        pair.awaitOk(sent);
        assertOver(message);
        Outcome second = pair.send(Pair.EMPTY, Pair.pattern(1 << 20), AmProtocol.EAGER);
        UcpActiveMessage eager = pair.awaitMessage();
        pair.server.activeMessages().release(eager);
        assertOver(eager);
        pair.awaitOk(second);
    }

    private void assertOver(UcpActiveMessage message) {
        MemorySegment destination = Arena.ofAuto().allocate(message.length());
        assertThatThrownBy(() -> pair.server.activeMessages().fetch(message, destination, null, NEVER))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("message " + Pair.ID).hasMessageContaining("fetched or released before");
        assertThatThrownBy(() -> pair.server.activeMessages().release(message))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("fetched or released before");
    }

    @Test
    void refusesDestinationsOfFetchAndKeepsMessage() {
        Outcome sent = pair.send(Pair.EMPTY, Pair.pattern(100_000), AmProtocol.RENDEZVOUS);
        UcpActiveMessage message = pair.awaitMessage();
        assertThatThrownBy(() -> pair.server.activeMessages().fetch(message, Arena.ofAuto().allocate(99_999), null,
                NEVER))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("destination of 99999 bytes")
                .hasMessageContaining("100000");
        assertThatThrownBy(() -> pair.server.activeMessages().fetch(message, Pair.EMPTY, null, NEVER))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("destination");
        MemorySegment onHeap = MemorySegment.ofArray(new byte[100_000]);
        assertThatThrownBy(() -> pair.server.activeMessages().fetch(message, onHeap, null, NEVER))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("destination").hasMessageContaining("Java heap");
        MemorySegment destination = Arena.ofAuto().allocate(100_000);
        assertThatThrownBy(() -> pair.server.activeMessages().fetch(message, destination.asReadOnly(), null, NEVER))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("read-only");
        assertThatThrownBy(() -> pair.server.activeMessages().fetch(message, inClosedArena(), null, NEVER))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("destination").hasMessageContaining("closed");
        assertThatThrownBy(() -> pair.server.activeMessages().fetch(message, null, null, NEVER))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("destination");
        assertThatThrownBy(() -> pair.server.activeMessages().fetch(message, destination, null, null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("whenDone");
        try (UcpMemory other = pair.context.allocate(10)) {
            assertThatThrownBy(() -> pair.server.activeMessages().fetch(message, destination, other, NEVER))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("registration");
        }
        assertThat(pair.server.activeMessages().held()).isEqualTo(1);
        assertThat(pair.server.inFlight()).isZero();
        pair.run(done -> pair.server.activeMessages().fetch(message, destination, null, done));
        pair.awaitOk(sent);
        assertThat(destination.mismatch(Pair.pattern(100_000))).isEqualTo(-1);
    }

    @Test
    void refusesFetchOfInlineMessageAndOfAnotherWorkersMessage() {
        Outcome small = pair.send(Pair.EMPTY, Pair.pattern(10), AmProtocol.EAGER);
        UcpActiveMessage inline = pair.awaitMessage();
        pair.awaitOk(small);
        assertThatThrownBy(() -> pair.server.activeMessages().fetch(inline, Pair.pattern(10), null, NEVER))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("inline");
        assertThatThrownBy(() -> pair.server.activeMessages().release(inline))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("inline");
        Outcome large = pair.send(Pair.EMPTY, Pair.pattern(1 << 20), AmProtocol.RENDEZVOUS);
        UcpActiveMessage held = pair.awaitMessage();
        assertThatThrownBy(held::payload).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("fetch or release");
        assertThatThrownBy(() -> pair.client.activeMessages().fetch(held, Pair.pattern(1 << 20), null, NEVER))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("belong to another worker");
        assertThatThrownBy(() -> pair.client.activeMessages().release(held)).isInstanceOf(IllegalStateException.class);
        pair.server.activeMessages().release(held);
        pair.awaitOk(large);
    }

    @Test
    void refusesProgressAndCloseInsideHandlers() {
        List<Throwable> thrown = new ArrayList<>();
        Runnable misuse = () -> {
            for (Runnable call : List.<Runnable>of(pair.server::progress, pair.server::close)) {
                try {
                    call.run();
                } catch (RuntimeException e) {
                    thrown.add(e);
                }
            }
        };
        pair.server.activeMessages().handler(9, message -> misuse.run());
        pair.run(done -> pair.toServer.amSend(9, Pair.EMPTY, Pair.EMPTY, null, AmProtocol.AUTO, false, done));
        pair.until(() -> thrown.size() == 2, "a message");
        Outcome received = new Outcome();
        pair.server.tags().receive(Arena.ofAuto().allocate(8), null, 5, -1, (status, length, tag) -> {
            misuse.run();
            received.complete(status, length, tag);
        });
        pair.run(done -> pair.toServer.tagSend(Pair.pattern(8), null, 5, done));
        pair.awaitOk(received);
        assertThat(thrown).hasSize(4).allSatisfy(e -> assertThat(e).isInstanceOf(IllegalStateException.class));
        assertThat(thrown.getFirst()).hasMessageContaining("from a completion or handler of the same worker");
    }

    @Test
    void postsInsideHandlers() {
        AtomicReference<Outcome> answered = new AtomicReference<>();
        pair.client.activeMessages().handler(11, message -> pair.received.add(message.keep()));
        pair.server.activeMessages().handler(10, message -> answered.set(Outcome.of(
                done -> pair.toClient.amSend(11, message.header(), Pair.EMPTY, null, AmProtocol.AUTO, false, done))));
        pair.run(done -> pair.toServer.amSend(10, heap(), Pair.EMPTY, null, AmProtocol.AUTO, false, done));
        assertThat(pair.awaitMessage().header().byteSize()).isEqualTo(16);
        pair.awaitOk(answered.get());
    }

    @Test
    void survivesExceptionOfCompletionAndGoesOn() {
        pair.server.tags().receive(Arena.ofAuto().allocate(8), null, 5, -1, (status, length, tag) -> {
            throw new IllegalStateException("a completion of a test");
        });
        pair.run(done -> pair.toServer.tagSend(Pair.pattern(8), null, 5, done));
        pair.until(() -> pair.server.inFlight() == 0, "the end of the receive");
    }

    @Test
    void ignoresCancelOfUnknownReceives() {
        for (long token : new long[] {0, -1, 63, 64, 1L << 32, Long.MAX_VALUE, Long.MIN_VALUE}) {
            pair.server.tags().cancel(token);
        }
        assertThat(pair.server.inFlight()).isZero();
    }

    /** UCX completes a receive within the call that cancels it, and no error may leave that callback. */
    @Test
    void refusesCancelAtTheEndOfTheStack() {
        endsInOrderAtTheEndOfTheStack("cancel");
    }

    /** As above, when the message of a receive has arrived. */
    @Test
    void refusesReceiveOfArrivedMessageAtTheEndOfTheStack() {
        endsInOrderAtTheEndOfTheStack("receive");
    }

    private static void endsInOrderAtTheEndOfTheStack(String what) {
        ChildJvm.Result result = ChildJvm.of(StackEndProgram.class).arguments(what).run();

        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(result.output()).contains("overflowed and ended in order");
    }

    @Test
    void refusesSleepWithoutItsFeature() {
        UcpConfig config = UcpConfig.builder().features(UcpFeature.AM).transports("tcp").build();
        try (UcpContext context = UcpContext.create(config);
                UcpWorker worker = context.createWorker(UcpWorkerConfig.of("busy"))) {
            for (Use use : List.<Use>of(UcpWorker::arm, w -> w.await(1), UcpWorker::signal, UcpWorker::eventFd)) {
                assertThatThrownBy(() -> use.of(worker)).isInstanceOf(UcxUnsupportedException.class)
                        .hasMessageContaining("WAKEUP");
            }
        }
    }

    @Test
    void refusesOneOperationMoreThanTheLimitAndStillCloses() {
        try (Pair small = Pair.of(Link.TCP_PEER, new UcpWorkerConfig("small", 2, 16, 8))) {
            List<Outcome> sent = List.of(small.send(Pair.EMPTY, Pair.pattern(1 << 20), AmProtocol.RENDEZVOUS),
                    small.send(Pair.EMPTY, Pair.pattern(1 << 20), AmProtocol.RENDEZVOUS));
            assertThatThrownBy(() -> small.send(Pair.EMPTY, Pair.EMPTY, AmProtocol.AUTO))
                    .isInstanceOfSatisfying(UcxException.class, e -> {
                        assertThat(e.status()).isEqualTo(UcxStatus.NO_RESOURCE);
                        assertThat(e.isRetryable()).isTrue();
                        assertThat(e).hasMessageContaining("all 2 operations");
                    });
            small.awaitOk(Outcome.of(done -> small.toServer.close(CloseMode.FORCE, done)));
            sent.forEach(outcome -> assertThat(small.await(outcome)).isNotEqualTo(UcxStatus.OK));
        }
    }
}
