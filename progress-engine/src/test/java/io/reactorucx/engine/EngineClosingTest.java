package io.reactorucx.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.EndpointOptions;
import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpConnectionRequest;
import io.reactorucx.core.UcpData;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpListener;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The end of an engine that still has something in flight. The fixture checks that each worker is destroyed, not left
 * behind.
 */
@ExtendWith(NoLeaks.class)
class EngineClosingTest {

    private static final int AM_ID = 3;
    /** Many times what any of these tests needs, and few enough to fail within seconds. */
    private static final int MAX_ROUNDS = 20_000;

    private Fixture fixture;
    private ProgressEngine engine;
    private ProgressEngine peer;

    @BeforeEach
    void open() {
        Fixture.assumeUcx();
        fixture = Fixture.overTcp().withMaxRounds(MAX_ROUNDS);
        engine = fixture.startedEngine();
        peer = fixture.startedEngine();
    }

    @AfterEach
    void close() {
        if (fixture != null) {
            fixture.close();
        }
    }

    private static void assertCancelled(TestOperation operation) {
        assertThat(operation.ends()).isOne();
        assertThat(operation.error()).isInstanceOfSatisfying(UcxException.class,
                e -> assertThat(e.status()).isEqualTo(UcxStatus.CANCELED));
    }

    @Test
    void endsListenersThenReceivesThenEndpointsThenOperationsThenWorker() {
        List<String> order = new ArrayList<>();
        UcpWorker worker = Fixture.worker(engine);
        UcpListener listener = worker.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                UcpConnectionRequest::reject);
        UcpEndpoint endpoint = Fixture.connect(engine, peer, ErrorMode.PEER);
        TestOperation receive = Fixture.receive(engine, 8, 1);
        receive.then(() -> order.add("receive, listener closed: " + listener.isClosed() + ", worker"
                + " closed: " + worker.isClosed()));
        TestOperation send = Fixture.rendezvousSend(engine, endpoint, 2);
        send.then(() -> order.add("send, endpoint closed: " + endpoint.isClosed() + ", worker"
                + " closed: " + worker.isClosed()));
        engine.execute(receive);
        engine.execute(send);
        assertInFlight(send);
        TestOperation done = TestOperation.inline(engine).then(() -> order.add("what was done before"));
        engine.execute(done);

        engine.closeAsync().thenRun(() -> order.add("worker closed: " + worker.isClosed()));
        assertThat(order).as("delivered by closeAsync itself").isEmpty();
        fixture.stepUntil("the engine is closed", engine::isClosed);

        assertThat(order).containsExactly("what was done before",
                "receive, listener closed: true, worker closed: false",
                "send, endpoint closed: true, worker closed: false", "worker closed: true");
        assertThat(done.successes()).isOne();
        assertCancelled(receive);
        assertThat(send.failures()).isOne();
        assertThat(worker.endpoints()).isEmpty();
        assertThat(engine.counters().inFlight()).isZero();
    }

    private void assertInFlight(TestOperation send) {
        for (int i = 0; i < 1_000; i++) {
            engine.step(false, 0);
            peer.step(false, 0);
        }
        assertThat(send.isEnded()).as("a rendezvous send that no receive matches has ended").isFalse();
        assertThat(engine.counters().inFlight()).isPositive();
    }

    @Test
    void endsSendToPeerOnceTheirEndpointIsWiredUp() {
        UcpEndpoint endpoint = Fixture.connect(engine, peer, ErrorMode.PEER);
        TestOperation send = Fixture.rendezvousSend(engine, endpoint, 2);
        engine.execute(send);
        engine.closeAsync();
        for (int i = 0; i < 1_000; i++) {
            engine.step(false, 0);
        }
        assertThat(engine.isClosed()).as("closed while the peer has not answered").isFalse();
        assertThat(engine.counters().parkedEndpoints()).isOne();
        for (int i = 0; i < 1_000_000 && !engine.isClosed(); i++) {
            engine.step(false, 0);
            peer.step(false, 0);
        }
        assertThat(engine.isClosed()).isTrue();
        assertThat(send.failures()).isOne();
    }

    @Test
    void closesWhenAsManyOperationsAsAllowedNeverEndByThemselves() {
        ProgressEngine small = fixture.startedEngine(
                Fixture.config(WaitStrategy.EVENT, 16, 16, 2, EngineConfig.DEFAULT_CLOSE_TIMEOUT));
        UcpEndpoint endpoint = Fixture.connect(small, peer, ErrorMode.PEER);
        List<TestOperation> sends = IntStream.range(0, 2).mapToObj(i -> Fixture.rendezvousSend(small, endpoint, i))
                .toList();
        sends.forEach(small::execute);
        for (int i = 0; i < 1_000; i++) {
            small.step(false, 0);
            peer.step(false, 0);
        }
        assertThat(small.counters().inFlight()).isEqualTo(2);

        fixture.close(small);

        assertThat(sends).allMatch(send -> send.failures() == 1);
        assertThat(fixture.context().openWorkers()).isEqualTo(2);
    }

    @Test
    void closesWhenReceiveIsPostedAgainWheneverItEnds() {
        List<TestOperation> receives = new ArrayList<>();
        Runnable[] postAnother = new Runnable[1];
        postAnother[0] = () -> {
            TestOperation next = Fixture.receive(engine, 8, 1);
            receives.add(next);
            if (receives.size() < 1_000) {
                next.then(postAnother[0]);
            }
            engine.execute(next);
        };
        postAnother[0].run();
        TestOperation first = receives.getFirst();

        fixture.close(engine);

        assertCancelled(first);
        assertThat(receives).allMatch(receive -> receive.ends() == 1);
        assertThat(receives.subList(1, receives.size())).allSatisfy(receive -> {
            assertThat(receive.posts()).as("posts to an engine that closes").isZero();
            assertThat(receive.error()).isInstanceOf(UcxClosedException.class);
        });
        assertThat(fixture.context().openWorkers()).isOne();
    }

    @Test
    void closesWhenFailuresAreRetriedForEver() {
        ProgressEngine hasty =
                fixture.startedEngine(Fixture.config(WaitStrategy.EVENT, 16, 16, 4, Duration.ofMillis(50)));
        // It ends after a time, not after rounds.
        fixture.withMaxRounds(Long.MAX_VALUE);
        int[] attempts = new int[1];
        Runnable[] retry = new Runnable[1];
        retry[0] = () -> {
            attempts[0]++;
            if (!hasty.isClosed() && !Fixture.isClosed(hasty)) {
                hasty.execute(TestOperation.inline(hasty).then(retry[0]));
            }
        };
        retry[0].run();
        fixture.close(hasty);
        assertThat(attempts[0]).isGreaterThan(2);
        assertThat(fixture.context().openWorkers()).as("workers of the two other engines").isEqualTo(2);
    }

    @Test
    void cancelsReceiveThatCompletionPostsDirectlyWhileItCloses() {
        MemorySegment destination = Arena.ofAuto().allocate(8);
        List<Integer> statuses = new ArrayList<>();
        UcpWorker worker = Fixture.worker(engine);
        engine.execute(Fixture.receive(engine, 8, 1).then(() -> engine.execute(new Probe(
                it -> it.tags().receive(destination, null, 2, -1L, (status, length, tag) -> statuses.add(status))))));
        fixture.close(engine);
        assertThat(statuses).containsExactly(UcxStatus.CANCELED.code());
        assertThat(worker.isClosed()).isTrue();
        assertThat(fixture.context().openWorkers()).isOne();
    }

    @Test
    void destroysIdleWorkerWhenThereIsNoTimeToClose() {
        ProgressEngine hasty = fixture.startedEngine(EngineConfig.of(Fixture.NAME).withCloseTimeout(Duration.ZERO));
        UcpEndpoint endpoint = Fixture.connect(hasty, peer, ErrorMode.PEER);
        AtomicBoolean wired = new AtomicBoolean();
        hasty.execute(new Probe(worker -> endpoint.flush((status, length, tag) -> wired.set(true))));
        for (int i = 0; i < 1_000_000 && !wired.get(); i++) {
            hasty.step(false, 0);
            peer.step(false, 0);
        }
        assertThat(wired).isTrue();
        fixture.close(hasty);
        assertThat(endpoint.isClosed()).isTrue();
        assertThat(fixture.context().openWorkers()).isEqualTo(2);
    }

    @Test
    void closesEndpointWithoutFailureDetectionOnceItsOperationsHaveEnded() {
        UcpEndpoint endpoint = Fixture.connect(engine, peer, ErrorMode.NONE);
        MemorySegment payload = Arena.ofAuto().allocate(64);
        TestOperation send = Fixture.send(engine, endpoint, payload, 5);
        TestOperation receive = Fixture.receive(peer, 64, 5);
        peer.execute(receive);
        engine.execute(send);
        fixture.close(engine);
        assertThat(send.successes()).isOne();
        assertThat(endpoint.isClosed()).isTrue();
        fixture.stepUntil("the message has arrived", receive::isEnded);
        assertThat(receive.length()).isEqualTo(64);
    }

    @Test
    void closesEndpointWithoutFailureDetectionThatReceivesFromItsStream() {
        UcpEndpoint endpoint = Fixture.connect(engine, peer, ErrorMode.NONE);
        List<Integer> statuses = new ArrayList<>();
        UcpData destination = UcpData.of(Arena.ofAuto().allocate(8));
        engine.execute(new Probe(
                it -> endpoint.stream().receive(destination, false, (status, length, tag) -> statuses.add(status))));
        assertThat(endpoint.inFlight()).isOne();
        fixture.close(engine);
        assertThat(endpoint.isClosed()).isTrue();
        assertThat(statuses).containsExactly(UcxStatus.CANCELED.code());
        assertThat(fixture.context().openWorkers()).isOne();
    }

    @Test
    void releasesMessagesThatWereNotFetched() {
        UcpWorker worker = Fixture.worker(engine);
        List<UcpActiveMessage> held = new ArrayList<>();
        worker.activeMessages().handler(AM_ID, message -> held.add(message.keep()));
        UcpEndpoint endpoint = Fixture.connect(peer, engine, ErrorMode.PEER);
        MemorySegment payload = Arena.ofAuto().allocate(Fixture.RENDEZVOUS_BYTES);
        TestOperation send = new TestOperation(peer, OperationKind.AM_SEND, Fixture.RENDEZVOUS_BYTES,
                (it, whenDone) -> endpoint.amSend(
                AM_ID, MemorySegment.NULL, payload, null, AmProtocol.RENDEZVOUS, false, whenDone));
        peer.execute(send);
        fixture.stepUntil("the offer has arrived", () -> !held.isEmpty());
        Fixture.steps(engine, 1);
        assertThat(engine.counters().heldMessages()).isOne();
        assertThat(send.isEnded()).isFalse();

        fixture.close(engine);

        assertThat(engine.counters().heldMessages()).isZero();
        fixture.close(peer);
        assertThat(send.ends()).isOne();
    }

    @Test
    void endsPeersOperationsWhenItsConnectionIsClosed() {
        List<Integer> errors = new ArrayList<>();
        UcpEndpoint endpoint = Fixture.worker(peer).connect(Fixture.worker(engine).address(),
                new EndpointOptions(ErrorMode.PEER, engine.name(), (of, status) -> errors.add(status)));
        TestOperation receive = Fixture.receive(engine, 8, 7);
        engine.execute(receive);
        peer.execute(Fixture.send(peer, endpoint, Arena.ofAuto().allocate(8), 7));
        fixture.stepUntil("the connection works", receive::isEnded);
        TestOperation send = Fixture.rendezvousSend(peer, endpoint, 8);
        peer.execute(send);

        fixture.close(engine);
        fixture.stepUntil("the peer has noticed", () -> !errors.isEmpty());
        fixture.close(peer);

        assertThat(errors).hasSize(1);
        assertThat(UcxStatus.of(errors.getFirst()).isConnectionLost()).isTrue();
        assertThat(send.failures()).isOne();
    }
}
