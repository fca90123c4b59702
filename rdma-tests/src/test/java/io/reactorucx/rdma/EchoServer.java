package io.reactorucx.rdma;

import io.reactorucx.ActiveMessages;
import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxResourcesBuilder;
import io.reactorucx.UcxServer;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.UcxTransportKind;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.message.UcxResponder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Gives back what it is sent by requests, active messages, tagged messages and the byte stream, and has memory. Its
 * arguments: address, port, transports, then any of {@code none} (error mode), {@code require-rdma}, {@code
 * heartbeat=MILLIS}, {@code idle=ENDPOINTS}, {@code window=BYTES}, and settings of UCX as {@code KEY=VALUE}.
 */
final class EchoServer {

    static final int WINDOW_BYTES = 16 << 20;
    static final int ECHO_ID = 1;
    static final int ECHOED_ID = 2;
    static final int HELD_ID = 3;
    static final long ECHO_TAG = 100;
    static final long ECHOED_TAG = 200;
    static final int STREAM_ITEMS = 2_000;
    /** The request that asks for the descriptors of the memory. */
    static final String DESCRIPTORS = "descriptors";
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final UcxResources resources;
    private final UcpMemory registered;
    private final MemorySegment ofJava = Arena.ofAuto().allocate(WINDOW_BYTES, 4096);

    private EchoServer(UcxResources resources, int windowBytes) {
        this.resources = resources;
        registered = resources.allocateMemory(windowBytes);
    }

    public static void main(String[] args) throws InterruptedException {
        List<String> options = Arrays.asList(args).subList(3, args.length);
        UcxResourcesBuilder builder = UcxResources.builder().remoteMemoryAccess(true).remoteAtomics(true).streams(true)
                .maxBufferBytes(256L << 20);
        if (!args[2].equals("default")) {
            builder.transports(args[2].split(","));
        }
        Duration heartbeat = Duration.ofSeconds(60);
        int windowBytes = WINDOW_BYTES;
        for (String option : options) {
            String[] pair = option.split("=", 2);
            switch (pair[0]) {
                case "heartbeat" -> heartbeat = Duration.ofMillis(Long.parseLong(pair[1]));
                case "idle" -> builder.maxIdleEndpoints(Integer.parseInt(pair[1]));
                case "window" -> windowBytes = Integer.parseInt(pair[1]);
                case "none", "peer", "require-rdma" -> { }
                default -> builder.setting(pair[0], pair[1]);
            }
        }
        UcxResources resources = builder.build();
        EchoServer echo = new EchoServer(resources, windowBytes);
        UcxServer server = UcxServer.create(resources).bindAddress(args[0], Integer.parseInt(args[1]))
                .peerFailureDetection(!options.contains("none")).handshakeTimeout(LIMIT)
                .require(options.contains("require-rdma") ? new UcxTransportKind[] {UcxTransportKind.RDMA}
                        : new UcxTransportKind[0])
                .heartbeatInterval(heartbeat).maxMessageBytes(2L * WINDOW_BYTES)
                .doOnHandlerError((connection, error) -> System.out.println("server: " + connection + ": " + error))
                .handle(echo::serve);
        UcxBoundServer bound = server.bindNow(LIMIT);
        CountDownLatch ended = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            bound.disposeNow(LIMIT);
            echo.registered.close();
            int leases = resources.buffers().leases();
            resources.disposeNow();
            System.out.println("server: ended, " + leases + " leases, " + UcpContext.openContexts() + " contexts");
            System.out.flush();
            ended.countDown();
        }));
        System.out.println("server: listens at port " + bound.port() + ", UCX at " + resources.listeningAddresses());
        System.out.flush();
        ended.await();
    }

    private Mono<Void> serve(UcxConnection connection) {
        System.out.println("server: connected " + connection.peer() + " over " + connection.transports() + " "
                + connection.errorMode());
        ActiveMessages messages = connection.activeMessages();
        return Mono.when(connection.respond(responder()),
                messages.receive(ECHO_ID).concatMap(message -> echo(messages, message)),
                // Offers that nobody fetches, until the connection ends.
                messages.receive(HELD_ID).then(),
                connection.tags().receive(ECHO_TAG, Arena.ofAuto().allocate(WINDOW_BYTES, 4096))
                        .flatMap(message -> connection.tags().send(ECHOED_TAG, message.data()).thenReturn(true))
                        .repeat().then(),
                // A receive of a byte stream outlives its peer where UCX does not detect failures.
                connection.errorMode() == ErrorMode.NONE ? Mono.never() : connection.streams().receive()
                        .concatMap(part -> connection.streams().send(part).doFinally(signal -> part.release())).then());
    }

    private UcxResponder responder() {
        return new UcxResponder() {
            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                if (request.length() != DESCRIPTORS.length()) {
                    return Mono.just(request);
                }
                request.release();
                return Mono.fromCallable(() -> resources.buffers()
                        .copyOf(descriptors().getBytes(StandardCharsets.UTF_8)));
            }

            @Override
            public Flux<UcxBuffer> requestStream(UcxBuffer request) {
                request.release();
                return Flux.range(0, STREAM_ITEMS).map(number -> resources.buffers()
                        .copyOf(Integer.toString(number).getBytes(StandardCharsets.UTF_8)));
            }
        };
    }

    /** Memory of UCX, memory of Java, and the first one's registration. */
    private String descriptors() {
        HexFormat hex = HexFormat.of();
        EnumSet<MemoryRight> rights = EnumSet.allOf(MemoryRight.class);
        return hex.formatHex(resources.exportMemory(registered, rights).descriptor().toBytes()) + " "
                + hex.formatHex(resources.exportMemory(ofJava, rights).descriptor().toBytes()) + " "
                + hex.formatHex(registered.descriptor().toBytes());
    }

    private Mono<Void> echo(ActiveMessages messages, ActiveMessage message) {
        if (message.hasData()) {
            MemorySegment copy = Arena.ofAuto().allocate(Math.max(1, message.length()), 8).asSlice(0, message.length());
            return messages.send(ECHOED_ID, MemorySegment.NULL, copy.copyFrom(message.data()), AmProtocol.AUTO);
        }
        return message.fetch(resources.buffers()).flatMap(data -> messages.send(ECHOED_ID, MemorySegment.NULL, data,
                AmProtocol.AUTO).doFinally(signal -> data.release()));
    }
}
