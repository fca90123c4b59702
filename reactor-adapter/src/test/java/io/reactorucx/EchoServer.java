package io.reactorucx;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.message.ActiveMessage;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.CountDownLatch;
import reactor.core.publisher.Mono;

/**
 * The other process of a test: echoes, exports memory, and stops answering when it is told to. Ends in good order with
 * its input.
 */
final class EchoServer {

    /** Comes back as {@link #ECHOED} with header and data. */
    static final int ECHO = 1;
    static final int ECHOED = 2;
    /** Answered by {@link #DIGESTED} with the SHA-256 of the window. */
    static final int DIGEST = 3;
    static final int DIGESTED = 4;
    /** Answered by {@link #OFFERED}, by rendezvous. */
    static final int OFFER = 5;
    static final int OFFERED = 6;
    /** Blocks the engine of the connection for ever. */
    static final int STALL = 7;
    /** Offers stay where they are. */
    static final int IGNORED = 8;

    static final long TAG_TO_ECHO = 100;
    static final long TAG_ECHOED = 200;

    static final String READY = "ready ";
    static final String STALLED = "stalled";
    static final String ENDED = "ended ";
    /** Printed for each connection that is gone, whichever side ended it. */
    static final String GONE = "gone ";

    /** System properties: where to listen, and the interval of heartbeats in milliseconds. */
    static final String BIND = "echo.bind";

    /** The property with the network device of that address, which UCX has to use from the start. */
    static final String DEVICE = "echo.device";
    static final String HEARTBEAT = "echo.heartbeat";

    /** The property with the size of rings. */
    static final String RINGS = "echo.rings";

    static final long WINDOW_BYTES = 64L * Bytes.MIB;
    static final long OFFER_BYTES = 8L * Bytes.MIB;

    private final UcxResources resources;
    private final UcpMemory window;
    private final UcpMemory registered;
    private final MemorySegment echoed = Bytes.zeroed(64L * Bytes.MIB);

    private EchoServer(String... transports) {
        resources = UcxResources.builder().transports(transports).networkDevices(System.getProperty(DEVICE, "lo"))
                .remoteMemoryAccess(true).maxBufferBytes(256L << 20).ringBytes(Integer.getInteger(RINGS, 0))
                .build();
        window = resources.allocateMemory(WINDOW_BYTES);
        registered = resources.registerMemory(echoed);
    }

    /**
     * The process.
     *
     * @param args the transports
     */
    public static void main(String[] args) throws IOException {
        new EchoServer(args).serve();
    }

    private void serve() throws IOException {
        UcxServer unbound = UcxServer.create(resources).bindAddress(System.getProperty(BIND, "127.0.0.1"), 0)
                .handle(this::handle);
        Long heartbeat = Long.getLong(HEARTBEAT);
        UcxBoundServer server = (heartbeat == null ? unbound : unbound.heartbeatInterval(Duration.ofMillis(heartbeat)))
                .bindNow();
        HexFormat hex = HexFormat.of();
        System.out.println(READY + server.port() + " " + hex.formatHex(window.descriptor().toBytes()) + " "
                + hex.formatHex(registered.descriptor().toBytes()));
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            in.readLine();
        }
        server.disposeNow();
        int leases = resources.buffers().leases();
        resources.disposeNow();
        System.out.println(ENDED + "leases=" + leases + " contexts=" + UcpContext.openContexts());
    }

    private Mono<Void> handle(UcxConnection connection) {
        connection.onDispose().subscribe(ignored -> { }, error -> { }, () ->
                System.out.println(GONE + connection.peer()));
        ActiveMessages messages = connection.activeMessages();
        messages.receive(IGNORED).subscribe(message -> { }, error -> { });
        return Mono.when(
                messages.receive(ECHO).concatMap(message -> echo(messages, message)),
                messages.receive(DIGEST).concatMap(message -> messages.send(DIGESTED, Bytes.sha256(window.segment()))),
                messages.receive(OFFER).doOnNext(message -> messages
                        .send(OFFERED, MemorySegment.NULL, window.segment().asSlice(0, OFFER_BYTES),
                        AmProtocol.RENDEZVOUS)
                        .subscribe(ignored -> { }, error -> { })),
                messages.receive(STALL).doOnNext(message -> stall()),
                connection.tags().receive(TAG_TO_ECHO, echoed)
                        .flatMap(message -> connection.tags().send(TAG_ECHOED, message.data()).thenReturn(1)).repeat());
    }

    private Mono<Void> echo(ActiveMessages messages, ActiveMessage message) {
        if (message.hasData()) {
            MemorySegment copy = Bytes.zeroed(message.length()).copyFrom(message.data());
            return messages.send(ECHOED, message.header(), copy);
        }
        return message.fetch(resources.buffers()).flatMap(buffer -> messages
                .send(ECHOED, message.header(), buffer, AmProtocol.AUTO).doFinally(signal -> buffer.release()));
    }

    private static void stall() {
        System.out.println(STALLED);
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
