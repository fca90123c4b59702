package io.reactorucx;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.CloseMode;
import io.reactorucx.message.ActiveMessage;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Processes whose connections end in every rude way: killed amid traffic, closed by force, cancelled or disposed while
 * they are made. The first argument is the part that a process plays.
 */
final class EndingPrograms {

    /** Printed by a server with its port and the address of its worker. */
    static final String READY = "ready ";
    /** Printed by a client when traffic flows in both directions. */
    static final String FLOWING = "flowing";
    /** Printed by a client that has a connection and does nothing. */
    static final String CONNECTED = "connected";
    /** Printed at the end, with what is left. */
    static final String DONE = "done ";

    private static final int BULK = 1;
    private static final int PING = 2;
    private static final long BULK_BYTES = 8L << 20;
    private static final int AT_A_TIME = 4;

    private EndingPrograms() {
    }

    /**
     * The process.
     *
     * @param args {@code serve TRANSPORTS}; or {@code idle}, {@code bulk}, {@code storm}, {@code force} with
     *     TRANSPORTS, the server (a port, or the digits of a worker's address), and for the last two seconds and a seed
     */
    public static void main(String[] args) throws IOException {
        String[] transports = args[1].equals("default") ? new String[0] : args[1].split(",");
        switch (args[0]) {
            case "serve" -> serve(transports);
            case "idle" -> idle(transports, args[2]);
            case "bulk" -> bulk(transports, args[2]);
            case "storm" -> new Storm(transports, args[2], Integer.parseInt(args[3]), Long.parseLong(args[4])).run();
            case "force" -> new Force(transports, args[2], Integer.parseInt(args[3]), Long.parseLong(args[4])).run();
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    static UcxResources resources(String... transports) {
        UcxResourcesBuilder builder = UcxResources.builder().maxBufferBytes(512L << 20);
        return (transports.length == 0 ? builder : builder.transports(transports)).build();
    }

    private static UcxClient client(UcxResources resources, String server) {
        UcxClient client = UcxClient.create(resources).closeTimeout(Duration.ofSeconds(2));
        return server.length() < 6 ? client.remoteAddress("127.0.0.1", Integer.parseInt(server))
                : client.remoteWorkerAddress(HexFormat.of().parseHex(server));
    }

    private static void serve(String... transports) throws IOException {
        UcxResources resources = resources(transports);
        UcxBoundServer server = UcxServer.create(resources).bindAddress("127.0.0.1", 0).acceptWorkerAddresses(true)
                .closeTimeout(Duration.ofSeconds(2)).handle(connection -> answer(resources, connection))
                .bindNow();
        System.out.println(READY + server.port() + " "
                + HexFormat.of().formatHex(resources.workerAddress(0).block(Waits.PATIENCE)));
        awaitLine();
        server.disposeNow();
        resources.disposeNow();
        System.out.println(DONE + "leases=" + resources.buffers().leases());
    }

    private static void awaitLine() throws IOException {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            in.readLine();
        }
    }

    private static void idle(String[] transports, String server) throws IOException {
        UcxResources resources = resources(transports);
        UcxConnection connection = client(resources, server).connectNow();
        System.out.println(CONNECTED);
        awaitLine();
        connection.disposeNow();
        resources.disposeNow();
    }

    /** Receives from the start, and sends once it has heard that the client receives. */
    private static Mono<Void> answer(UcxResources resources, UcxConnection connection) {
        Mono<Void> ended = connection.activeMessages().receive(PING).next().flatMap(message -> {
            byte millis = message.data().get(ValueLayout.JAVA_BYTE, 0);
            Mono<Void> forced = millis < 0 ? Mono.never() : Mono.delay(Duration.ofMillis(millis))
                    .then(connection.close(CloseMode.FORCE));
            return Mono.firstWithSignal(forced, send(connection));
        });
        return Mono.firstWithSignal(ended, receive(resources, connection).then()).onErrorComplete();
    }

    /** Large messages, until the connection ends. */
    private static Mono<Void> send(UcxConnection connection) {
        MemorySegment payload = Bytes.pattern(1, BULK_BYTES);
        return Flux.range(0, Integer.MAX_VALUE).flatMap(number -> connection.activeMessages().send(BULK, payload),
                AT_A_TIME).then();
    }

    private static Flux<Integer> receive(UcxResources resources, UcxConnection connection) {
        return connection.activeMessages().receive(BULK).flatMap(message -> fetch(resources, message), AT_A_TIME);
    }

    /** Receives large messages, asks for them, and sends its own once the first one has come. */
    private static Flux<Integer> exchange(UcxResources resources, UcxConnection connection, int millis) {
        Flux<Integer> received = receive(resources, connection).publish().refCount(2);
        return Flux.merge(received, received.next().flatMap(first -> send(connection)).thenReturn(0),
                connection.activeMessages().send(PING, new byte[] {(byte) millis}).thenReturn(0));
    }

    private static Mono<Integer> fetch(UcxResources resources, ActiveMessage message) {
        return message.hasData() ? Mono.just(1)
                : message.fetch(resources.buffers()).doOnNext(UcxBuffer::release).thenReturn(1);
    }

    private static void bulk(String[] transports, String server) {
        UcxResources resources = resources(transports);
        UcxConnection connection = client(resources, server).connectNow();
        exchange(resources, connection, -1).index().filter(each -> each.getT1() == AT_A_TIME)
                .doOnNext(each -> System.out.println(FLOWING)).blockLast();
    }

    /** Connects without a pause, and cancels or closes after at most some milliseconds. */
    private static final class Storm {

        private final String[] transports;
        private final String server;
        private final long end;
        private final Random random;

        Storm(String[] transports, String server, int seconds, long seed) {
            this.transports = transports;
            this.server = server;
            this.end = System.nanoTime() + Duration.ofSeconds(seconds).toNanos();
            this.random = new Random(seed);
        }

        void run() {
            long rounds = 0;
            do {
                UcxResources resources = resources(transports);
                int connects = 1 + random.nextInt(20);
                for (int i = 0; i < connects && (i == 0 || System.nanoTime() - end < 0); i++) {
                    round(client(resources, server));
                    rounds++;
                }
                resources.disposeNow();
            } while (System.nanoTime() - end < 0);
            System.out.println(DONE + "rounds=" + rounds);
        }

        private void round(UcxClient client) {
            Mono<UcxConnection> connect = client.connect().doOnNext(connection -> {
                switch (random.nextInt(3)) {
                    case 0 -> connection.close(CloseMode.FORCE).subscribe();
                    case 1 -> connection.dispose();
                    default -> connection.activeMessages().send(BULK, new byte[100]).onErrorComplete()
                            .then(connection.close(CloseMode.FORCE)).subscribe();
                }
            });
            Disposable attempt = connect.subscribe(connection -> { }, error -> { });
            LockSupport.parkNanos(random.nextInt(6_000_000));
            attempt.dispose();
        }
    }

    /** Traffic in both directions, which both sides end by force at about the same time. */
    private static final class Force {

        private final String[] transports;
        private final String server;
        private final long end;
        private final Random random;

        Force(String[] transports, String server, int seconds, long seed) {
            this.transports = transports;
            this.server = server;
            this.end = System.nanoTime() + Duration.ofSeconds(seconds).toNanos();
            this.random = new Random(seed);
        }

        void run() {
            UcxResources resources = resources(transports);
            long rounds = 0;
            do {
                UcxConnection connection = client(resources, server).connectNow();
                int millis = random.nextInt(40);
                Disposable traffic = exchange(resources, connection, millis).subscribe(each -> { }, error -> { });
                LockSupport.parkNanos(Duration.ofMillis(random.nextInt(1 + 2 * millis)).toNanos());
                connection.close(CloseMode.FORCE).block(Waits.PATIENCE);
                traffic.dispose();
                rounds++;
            } while (System.nanoTime() - end < 0);
            resources.disposeNow();
            System.out.println(DONE + "rounds=" + rounds + " leases=" + resources.buffers().leases());
        }
    }
}
