package io.reactorucx.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.Completion;
import io.reactorucx.core.EndpointErrorHandler;
import io.reactorucx.core.EndpointOptions;
import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpListener;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A server of two engines, one that listens and one that serves, and a client of one. */
@ExtendWith(NoLeaks.class)
@Timeout(600)
class EnginesTogetherTest {

    private static final int REQUEST_ID = 1;
    private static final int REPLY_ID = 2;
    private static final int MESSAGES = 500;

    private final List<String> problems = new CopyOnWriteArrayList<>();

    @BeforeEach
    void open() {
        Fixture.assumeUcx();
    }

    private static <T> T call(ProgressEngine engine, Function<UcpWorker, T> action) throws Exception {
        CompletableFuture<T> result = new CompletableFuture<>();
        engine.execute(new Command() {
            @Override
            public void run(UcpWorker worker) {
                try {
                    result.complete(action.apply(worker));
                } catch (RuntimeException e) {
                    result.completeExceptionally(e);
                }
            }

            @Override
            public void reject(RuntimeException cause) {
                result.completeExceptionally(cause);
            }
        });
        return result.get(20, TimeUnit.SECONDS);
    }

    private EndpointOptions options(String peer) {
        EndpointErrorHandler reset = (endpoint, status) -> endpoint.close(CloseMode.FORCE, (a, b, c) -> { });
        return new EndpointOptions(ErrorMode.PEER, peer, reset);
    }

    private ProgressEngineGroup start(UcpContext context, WaitStrategy strategy, int count) {
        return ProgressEngineGroup.start(context, Fixture.config(strategy), count, Thread::new, EngineObserver.NONE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "posix,tcp"})
    void exchangesActiveMessagesOverTransports(String transports) throws Exception {
        exchange(transports, WaitStrategy.ADAPTIVE);
    }

    @ParameterizedTest
    @EnumSource(value = WaitStrategy.class, names = {"EVENT", "BUSY_SPIN"})
    void exchangesActiveMessagesWithStrategy(WaitStrategy strategy) throws Exception {
        exchange("posix,tcp", strategy);
    }

    private void exchange(String transports, WaitStrategy strategy) throws Exception {
        try (UcpContext serverContext = UcpContext.create(Fixture.contextConfig(transports.split(",")));
                UcpContext clientContext = UcpContext.create(Fixture.contextConfig(transports.split(",")));
                ProgressEngineGroup server = start(serverContext, strategy, 2);
                ProgressEngineGroup client = start(clientContext, strategy, 1)) {
            InetSocketAddress address = serve(server.engines().get(0), server.engines().get(1));
            UcpEndpoint endpoint = call(client.next(), worker -> worker.connect(address, options("server")));
            exchangeOver(client.next(), endpoint);

            List<String> used = call(client.next(), worker -> endpoint.transports());
            assertThat(used).anyMatch(name -> name.startsWith(transports.split(",")[0]));
            // A message may arrive before its send has completed.
            await().untilAsserted(() -> {
                EngineCounters sending = client.next().counters();
                assertThat(server.engines().get(1).counters().succeeded(OperationKind.AM_SEND)).isEqualTo(MESSAGES);
                assertThat(sending.succeeded(OperationKind.AM_SEND)).isEqualTo(MESSAGES);
                assertThat(sending.bytes(OperationKind.AM_SEND)).isEqualTo(MESSAGES * (long) Integer.BYTES);
            });
            assertThat(server.engines().get(0).counters().succeeded(OperationKind.AM_SEND)).isZero();
        }
        assertThat(problems).isEmpty();
    }

    private InetSocketAddress serve(ProgressEngine listening, ProgressEngine serving) throws Exception {
        call(serving, worker -> {
            worker.activeMessages().handler(REQUEST_ID, message -> {
                UcpEndpoint back = message.replyEndpoint();
                if (back == null || !serving.isEngineThread()) {
                    problems.add("no way back, or not on the engine that serves");
                    return;
                }
                byte[] number = message.payload().toArray(ValueLayout.JAVA_BYTE);
                MemorySegment reply = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_BYTE, number);
                serving.execute(send(serving, back, REPLY_ID, reply));
            });
            return null;
        });
        InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        UcpListener listener = call(listening, worker -> worker.listen(anyPort,
                request -> serving.execute(new Probe(accepting -> accepting.accept(request, options("client"))))));
        return listener.address();
    }

    private TestOperation send(ProgressEngine engine, UcpEndpoint endpoint, int id, MemorySegment payload) {
        TestOperation.Post post = (UcpWorker worker, Completion whenDone) ->
                endpoint.amSend(id, MemorySegment.NULL, payload, null,
                AmProtocol.AUTO, true, whenDone);
        TestOperation operation = new TestOperation(engine, OperationKind.AM_SEND, payload.byteSize(), post);
        return operation.then(() -> {
            RuntimeException error = operation.error();
            if (error != null) {
                problems.add(error.toString());
            }
        });
    }

    private void exchangeOver(ProgressEngine engine, UcpEndpoint endpoint) throws Exception {
        BitSet answered = new BitSet();
        CountDownLatch missing = new CountDownLatch(MESSAGES);
        call(engine, worker -> {
            worker.activeMessages().handler(REPLY_ID, message -> {
                int number = message.payload().get(ValueLayout.JAVA_INT_UNALIGNED, 0);
                if (answered.get(number)) {
                    problems.add("a second answer to " + number);
                }
                answered.set(number);
                missing.countDown();
            });
            return null;
        });
        for (int i = 0; i < MESSAGES; i++) {
            engine.execute(send(engine, endpoint, REQUEST_ID, Arena.ofAuto().allocateFrom(ValueLayout.JAVA_INT, i)));
        }
        assertThat(missing.await(20, TimeUnit.SECONDS)).as("all answered; %s are not, problems %s", missing.getCount(),
                problems).isTrue();
    }
}
