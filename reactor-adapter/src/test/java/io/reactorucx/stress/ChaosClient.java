package io.reactorucx.stress;

import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.testsupport.TestTime;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;

/**
 * A client of the chaos. In the manner that its argument names it sends checked messages for some time, opens and gives
 * up connections as fast as it can, closes by force amid its traffic, or is an honest one, for which everything has to
 * be in order.
 */
public final class ChaosClient {

    static final String DONE = "done ";

    private static final int MESSAGES = 40;
    private static final Duration PATIENCE = TestTime.seconds(30);
    private static final int STORM = 30;

    /** What a client does. */
    enum Manner {
        /** Sends until it is killed, stopped, or its time is over. */
        TRAFFIC,
        /** Connects, cancels and disposes within milliseconds. */
        STORM,
        /** Closes by force amid its traffic, again and again. */
        FORCE,
        /** Sends, and has to receive, each of some messages. */
        HONEST
    }

    private final UcxResources resources;
    private final UcxClient client;
    private final Random random;
    private final boolean plantedLoss = Boolean.getBoolean(RandomCalls.PLANT);
    private final AtomicInteger faults = new AtomicInteger();

    private ChaosClient(int port, long seed) {
        random = new Random(seed);
        resources = ChaosServer.resources();
        client = UcxClient.create(resources).remoteAddress("127.0.0.1", port)
                .heartbeatInterval(ChaosServer.HEARTBEAT).closeTimeout(ChaosServer.CLOSE_TIMEOUT)
                .connectTimeout(Duration.ofSeconds(10));
    }

    /**
     * Does it.
     *
     * @param arguments the manner, the port, milliseconds, and the seed
     */
    public static void main(String[] arguments) {
        Hooks.onNextDropped(UcxBuffer::discard);
        Hooks.onErrorDropped(error -> { });
        ChaosClient chaos = new ChaosClient(Integer.parseInt(arguments[1]), Long.parseLong(arguments[3]));
        Duration time = Duration.ofMillis(Long.parseLong(arguments[2]));
        long end = System.nanoTime() + time.toNanos();
        int rounds = 0;
        do {
            switch (Manner.valueOf(arguments[0])) {
                case TRAFFIC -> chaos.traffic(end);
                case STORM -> chaos.storm();
                case FORCE -> chaos.force();
                default -> chaos.honest();
            }
            rounds++;
        } while (System.nanoTime() - end < 0);
        chaos.resources.disposeNow();
        System.out.println(DONE + rounds);
        Runtime.getRuntime().halt(chaos.faults.get() == 0 ? 0 : 1);
    }

    private void fault(String text) {
        faults.incrementAndGet();
        System.out.println(ChaosServer.FAULT + text);
    }

    /** Sends messages and compares the responses, which come in the order of the messages. */
    private Mono<Long> exchange(UcxConnection connection, int messages) {
        AtomicLong sent = new AtomicLong();
        AtomicLong expected = new AtomicLong();
        long self = ProcessHandle.current().pid();
        Flux<byte[]> source = Flux.range(0, messages).map(each -> Payload.of(self, sent.incrementAndGet(),
                Payload.PREFIX + (random.nextInt(6) == 0 ? random.nextInt(2 << 20) : random.nextInt(4000)))
                .toArray(ValueLayout.JAVA_BYTE));
        Flux<UcxBuffer> responses = connection.inbound().receive().doOnDiscard(Object.class, UcxBuffer::discard)
                .doOnNext(response -> {
                    long number = Payload.number(response.segment());
                    boolean intact = Payload.isIntact(response.segment());
                    response.release();
                    if (!intact || number != expected.incrementAndGet()) {
                        fault("response " + number + " instead of " + expected + (intact ? "" : ", corrupt"));
                    }
                });
        return responses.take(messages).skip(plantedLoss ? 1 : 0).count().mergeWith(connection.outbound()
                .sendByteArrays(source).then(Mono.<Long>empty())).reduce(0L, Long::sum);
    }

    /** A connection may be lost or closed by the server at any time, and its exchange fails then; it never hangs. */
    private void traffic(long end) {
        try {
            UcxConnection connection = client.connectNow();
            exchange(connection, MESSAGES * 10).timeout(Duration.ofNanos(Math.max(1, end - System.nanoTime())),
                    Mono.just(0L)).block(PATIENCE);
            // This process may be stopped meanwhile.
            connection.disposeNow(PATIENCE);
        } catch (UcxException e) {
            if (e.operation().equals("disposeNow")) {
                fault("a close hangs: " + e);
            }
            LockSupport.parkNanos(1_000_000);
        } catch (IllegalStateException e) {
            fault("an exchange hangs: " + e);
        }
    }

    private void storm() {
        ConcurrentHashMap.KeySetView<UcxConnection, Boolean> open = ConcurrentHashMap.newKeySet();
        Flux.range(0, STORM).flatMap(each -> {
            Mono<UcxConnection> connect = client.connect().doOnNext(open::add);
            return (random.nextInt(3) == 0 ? connect : connect.takeUntilOther(Mono.delay(
                    Duration.ofNanos(random.nextInt(5_000_000))))).onErrorComplete()
                    .flatMap(connection -> connection.close(random.nextBoolean() ? CloseMode.FORCE : CloseMode.FLUSH)
                            .onErrorComplete());
        }, STORM).then().block(PATIENCE);
    }

    private void force() {
        try {
            UcxConnection connection = client.connectNow();
            exchange(connection, MESSAGES * 10).onErrorComplete().subscribe();
            LockSupport.parkNanos(random.nextInt(30_000_000));
            connection.close(CloseMode.FORCE).block(PATIENCE);
        } catch (UcxException e) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** Connections that the server closes by force are tried again; one of some has to carry everything. */
    private void honest() {
        for (int attempt = 0; attempt < 20; attempt++) {
            try {
                UcxConnection connection = client.connectNow();
                Long received = exchange(connection, MESSAGES).block(PATIENCE);
                connection.disposeNow();
                if (received == null || received != MESSAGES) {
                    fault("an honest client got " + received + " of " + MESSAGES + " responses");
                }
                return;
            } catch (UcxException e) {
                LockSupport.parkNanos(1_000_000);
            }
        }
        fault("an honest client was never served");
    }
}
