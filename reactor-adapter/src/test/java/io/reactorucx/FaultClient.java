package io.reactorucx;

import static org.awaitility.Awaitility.await;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.MemoryDescriptor;
import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.internal.concurrent.EngineCall;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A client in a process of its own that has every kind of operation under way while something happens to the way to its
 * {@link EchoServer}, and says how each ended. A line on its input, whatever it says, is the moment from which it
 * counts.
 */
final class FaultClient {

    static final String PENDING = "pending ";
    static final String ENDED = "ended ";
    static final String LEFT = "left ";

    private final Map<String, Mono<?>> operations = new LinkedHashMap<>();
    private final CountDownLatch ends = new CountDownLatch(1);
    private volatile long since = System.nanoTime();

    private FaultClient() {
    }

    /**
     * The process.
     *
     * @param args host, port, descriptor of the server's memory in hexadecimal digits, milliseconds between heartbeats,
     * transports
     */
    public static void main(String[] args) throws InterruptedException {
        String[] transports = args[4].split(",");
        UcxResources resources = UcxResources.builder().transports(transports).remoteMemoryAccess(true).build();
        UcxConnection connection = UcxClient.create(resources).remoteAddress(args[0], Integer.parseInt(args[1]))
                .heartbeatInterval(Duration.ofMillis(Long.parseLong(args[3]))).connectNow();
        new FaultClient().run(connection, MemoryDescriptor.fromBytes(HexFormat.of().parseHex(args[2])));
        connection.onDispose().block(Waits.PATIENCE);
        // An endpoint whose peer is out of reach stays parked for some seconds, with what was sent over it.
        await().atMost(Waits.PATIENCE).until(() -> resources.parkedEndpoints() == 0);
        // Asked on the engine: its counters show what was at the end of its step before.
        Integer inFlight = EngineCall.mono(resources.engines().getFirst(), UcpWorker::inFlight)
                .block(Waits.PATIENCE);
        int leases = resources.buffers().leases();
        resources.disposeNow();
        System.out.println(LEFT + "inFlight=" + inFlight + " leases=" + leases + " contexts="
                + UcpContext.openContexts());
    }

    private void run(UcxConnection connection, MemoryDescriptor window) throws InterruptedException {
        MemorySegment none = MemorySegment.NULL;
        operations.put("tag_recv", connection.tags().receive(5, Bytes.zeroed(8)));
        operations.put("tag_send_sync", connection.tags().sendSync(6, Bytes.pattern(1, 8)));
        operations.put("tag_send", connection.tags().send(7, Bytes.pattern(1, Bytes.MIB)));
        operations.put("am_send", connection.activeMessages()
                .send(EchoServer.IGNORED, none, Bytes.pattern(1, Bytes.MIB),
                AmProtocol.RENDEZVOUS));
        operations.put("am_receive", connection.activeMessages().receive(20).then());
        RemoteMemory memory = connection.memory(window);
        MemorySegment read = Bytes.zeroed(Bytes.MIB);
        operations.put("get", Flux.range(0, Integer.MAX_VALUE).concatMap(number -> memory.get(0, read)).then());
        operations.put("am_stream", Flux.interval(Duration.ofMillis(20)).onBackpressureDrop()
                .concatMap(number -> connection.activeMessages().send(EchoServer.ECHO, new byte[64])).then());
        operations.put("inbound", connection.inbound().receive().doOnNext(UcxBuffer::release).then());
        operations.put("outbound", connection.outbound().send(Flux.never()));
        Mono<Void> all = Mono.whenDelayError(operations.entrySet().stream().map(each -> each.getValue().then()
                .doOnSuccess(done -> report(each.getKey(), null)).doOnError(error -> report(each.getKey(), error))
                .onErrorComplete()).toList());
        all.subscribe(ignored -> { }, error -> ends.countDown(), ends::countDown);
        Waits.engineOf(connection);
        System.out.println(PENDING + operations.size());
        Thread.ofPlatform().daemon().start(this::awaitMoment);
        ends.await(3 * Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private void awaitMoment() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            in.readLine();
            since = System.nanoTime();
        } catch (IOException e) {
            System.out.println("no input: " + e);
        }
    }

    private void report(String operation, @Nullable Throwable error) {
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since);
        String how = error == null ? "well"
                : error instanceof UcxException lost ? lost.status() + " lost=" + lost.isConnectionLost()
                : error.toString();
        System.out.println(ENDED + operation + " " + how + " after " + millis + " ms");
    }
}
