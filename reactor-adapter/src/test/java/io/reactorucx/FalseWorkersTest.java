package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.EndpointOptions;
import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcpConfig;
import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpFeature;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.UcpWorkerConfig;
import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.frame.BindFrame;
import io.reactorucx.transport.frame.ReservedMessageIds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/**
 * Strangers that do the handshake, and send the address of a worker that is not theirs, or do not bind their endpoints,
 * leave nothing in the server, and keep no honest client out.
 */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@ValueSource(strings = {"default", "tcp"})
class FalseWorkersTest implements NeedsUcx {

    /** For each kind and transport; {@code -Dflood.handshakes=20000} makes the long form. */
    private static final int HANDSHAKES = Integer.getInteger("flood.handshakes", 400);
    private static final int HONEST_EVERY = 100;
    /** More than one address of this host has ports, all of which are used for a while after a connection. */
    private static final int HANDSHAKES_OF_AN_ADDRESS = 5_000;
    private static final int MAX_MORE = 50;
    private static final int MAX_WORKERS = 1000;
    private static final int WORKER_AT = 1;
    private static final int PORT_BYTES = 2;

    @Parameter
    private String transports;
    private ChildJvm server;
    private int port;
    private UcxResources resources;
    private UcpContext context;
    private UcpWorker worker;
    private final Map<Long, Integer> numbers = new HashMap<>();
    private boolean wiredUp;

    /** What a stranger sends. */
    enum Kind {
        /** The server would begin, and connect to itself. */
        ADDRESS_OF_THE_SERVER_WITH_A_SMALL_NUMBER(true, true),
        /** The stranger would begin. */
        ADDRESS_OF_THE_SERVER_WITH_A_LARGE_NUMBER(true, true),
        ADDRESS_OF_THE_SERVERS_OTHER_ENGINE(true, true),
        NUMBER_OF_THE_SERVER_WITH_ANOTHER_ADDRESS(true, true),
        PORT_THAT_REFUSES(false, true),
        /** The server begins, and gets no answer to its BIND. */
        WORKER_THAT_DOES_NOT_ANSWER(true, true),
        /** The stranger begins, and does not send BIND. Over tcp UCX keeps the socket as long as the stranger does. */
        WORKER_THAT_DOES_NOT_BIND(true, false);

        private final boolean overSharedMemory;
        private final boolean overTcp;

        Kind(boolean overSharedMemory, boolean overTcp) {
            this.overSharedMemory = overSharedMemory;
            this.overTcp = overTcp;
        }
    }

    @BeforeEach
    void serve() {
        server = ChildJvm.of(AttackedServer.class).environment("UCX_LOG_LEVEL", "fatal").arguments(transports).start();
        port = Integer.parseInt(server.awaitLine(AttackedServer.READY).split(" ")[1]);
        UcxResourcesBuilder builder = UcxResources.builder();
        UcpConfig.Builder config = UcpConfig.builder().name("stranger").features(UcpFeature.AM,
                UcpFeature.TAG, UcpFeature.WAKEUP);
        if (!transports.equals("default")) {
            builder.transports(transports);
            config.transports(transports);
        } else {
            config.setting("TLS", "^tcp");
        }
        config.setting("POSIX_ERROR_HANDLING", "y").setting("SYSV_ERROR_HANDLING", "y");
        resources = builder.build();
        context = UcpContext.create(config.build());
        worker = context.createWorker(UcpWorkerConfig.of("stranger"));
    }

    @AfterEach
    void end() {
        if (server != null) {
            server.close();
        }
        if (context != null) {
            resources.disposeNow();
            worker.endpoints().forEach(each -> each.close(CloseMode.FORCE, (status, length, tag) -> { }));
            await().pollInSameThread().atMost(Waits.PATIENCE).until(() -> {
                worker.progress();
                return worker.endpoints().isEmpty() && worker.parkedEndpoints().count() == 0;
            });
            worker.close();
            context.close();
        }
    }

    private void honestClientIsServed() {
        UcxConnection honest = UcxClient.create(resources).remoteAddress("127.0.0.1", port).connectNow();
        honest.outbound().sendStrings(Mono.just("hello")).subscribe();
        assertThat(honest.inbound().receiveStrings().blockFirst(Waits.PATIENCE)).isEqualTo("hello");
        honest.disposeNow();
    }

    private long[] counts() {
        server.send("counts");
        return Arrays.stream(server.awaitLine(AttackedServer.COUNTS).split(" ")).skip(1).mapToLong(Long::parseLong)
                .toArray();
    }

    /** Lets each of its many endpoints take a step. */
    private void progress() {
        for (int i = 0; i < HANDSHAKES; i++) {
            worker.progress();
        }
    }

    private static byte[] numbered(byte[] address, long number) {
        byte[] changed = address.clone();
        ByteBuffer.wrap(changed).order(ByteOrder.nativeOrder()).putLong(WORKER_AT, number);
        return changed;
    }

    private static long number(byte[] address) {
        return ByteBuffer.wrap(address).order(ByteOrder.nativeOrder()).getLong(WORKER_AT);
    }

    /** Returns an address with another port in place of the worker's own, wherever that is. */
    private byte[] withPort(byte[] address, int other) {
        int own = worker.tcpListeners().addresses().getFirst().getPort();
        byte[] changed = address.clone();
        ByteBuffer bytes = ByteBuffer.wrap(changed);
        for (int at = WORKER_AT + Long.BYTES; at + PORT_BYTES <= changed.length; at++) {
            if (Short.toUnsignedInt(bytes.getShort(at)) == own) {
                bytes.putShort(at, (short) other);
            }
        }
        return changed;
    }

    private static int refusingPort() {
        try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return closed.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @EnumSource
    void leaveNothingInTheServer(Kind kind) {
        assumeTrue(transports.equals("tcp") ? kind.overTcp : kind.overSharedMemory, "does not apply");
        List<byte[]> ofServer = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            try (Stranger stranger = Stranger.connect(port, "127.0.0.1", worker.address())) {
                ofServer.add(stranger.serverAddress());
            }
        }
        if (kind == Kind.WORKER_THAT_DOES_NOT_BIND) {
            beTheOneThatBegins(ofServer);
        }
        honestClientIsServed();
        honestClientIsServed();
        await().atMost(Waits.PATIENCE).until(() -> counts()[2] == 0);
        long[] before = counts();
        long start = System.nanoTime();

        int refusing = refusingPort();
        for (int i = 0; i < HANDSHAKES; i++) {
            attack(kind, i, ofServer, refusing);
            if (i % HONEST_EVERY == 0) {
                honestClientIsServed();
            }
        }

        await().pollInSameThread().atMost(Waits.PATIENCE).untilAsserted(() -> {
            progress();
            long[] now = counts();
            assertThat(now[2]).as("pending handshakes").isZero();
            assertThat(now[0]).as("mappings").isLessThanOrEqualTo(before[0] + MAX_MORE);
            assertThat(now[1]).as("descriptors").isLessThanOrEqualTo(before[1] + MAX_MORE);
        });
        honestClientIsServed();
        System.out.println(transports + " " + kind + ": " + HANDSHAKES + " handshakes in "
                + (System.nanoTime() - start) / 1_000_000 + " ms, mappings, descriptors, pending before "
                + Arrays.toString(before) + ", after " + Arrays.toString(counts()));
    }

    /** The worker with the larger number begins. */
    private void beTheOneThatBegins(List<byte[]> ofServer) {
        for (int i = 0; i < MAX_WORKERS && !ofServer.stream().allMatch(
                each -> Long.compareUnsigned(number(worker.address()), number(each)) > 0); i++) {
            worker.close();
            worker = context.createWorker(UcpWorkerConfig.of("stranger " + i));
        }
    }

    private void attack(Kind kind, int i, List<byte[]> ofServer, int refusing) {
        String from = "127.0.1." + (1 + i / HANDSHAKES_OF_AN_ADDRESS);
        byte[] own = worker.address();
        byte[] address = switch (kind) {
            case ADDRESS_OF_THE_SERVER_WITH_A_SMALL_NUMBER -> numbered(ofServer.getFirst(), 1 + i);
            case ADDRESS_OF_THE_SERVER_WITH_A_LARGE_NUMBER -> numbered(ofServer.getFirst(), -1 - i);
            case ADDRESS_OF_THE_SERVERS_OTHER_ENGINE -> ofServer.get(i / 2 % 2);
            case NUMBER_OF_THE_SERVER_WITH_ANOTHER_ADDRESS -> numbered(own, number(ofServer.get(i / 2 % 2)));
            case PORT_THAT_REFUSES -> numbered(withPort(own, refusing), 1 + i);
            case WORKER_THAT_DOES_NOT_ANSWER -> numbered(own, 1 + i);
            case WORKER_THAT_DOES_NOT_BIND -> own;
        };
        try (Stranger stranger = Stranger.connect(port, from, address)) {
            if (kind == Kind.WORKER_THAT_DOES_NOT_BIND) {
                connectWithoutBind(stranger, i);
            } else {
                stranger.send(address, 0);
            }
        }
        worker.progress();
    }

    /** Returns a BIND that belongs to no connection. */
    private MemorySegment bind(long token) {
        byte[] frame = new BindFrame(BindFrame.Type.BIND, token, 0, worker.address()).toBytes();
        return Bytes.zeroed(frame.length).copyFrom(MemorySegment.ofArray(frame));
    }

    /** Makes an endpoint, over which UCX of the server can answer, and sends no BIND of the connection. */
    private void connectWithoutBind(Stranger stranger, int i) {
        byte[] ofServer = stranger.serverAddress();
        stranger.send(worker.address(), numbers.merge(number(ofServer), 1, Integer::sum) - 1);
        UcpEndpoint endpoint = worker.connect(ofServer,
                new EndpointOptions(ErrorMode.PEER, "attack " + i, (failed, status) -> { }));
        // UCX tells the other side of an endpoint with its first message that can be answered.
        wiredUp = endpoint.amSend(ReservedMessageIds.PAIRING, Bytes.zeroed(0), bind(i), null, AmProtocol.EAGER, true,
                (status, length, tag) -> wiredUp = true);
        for (long limit = System.nanoTime() + Waits.PATIENCE.toNanos(); !wiredUp; worker.progress()) {
            assertThat(System.nanoTime() - limit).as("wire-up").isNegative();
        }
    }
}
