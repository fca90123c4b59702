package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.core.UcpConfig;
import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpFeature;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.UcpWorkerConfig;
import io.reactorucx.netty.internal.HostileLoop;
import io.reactorucx.netty.internal.StrangeLink;
import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Strangers that do the handshake at the port for links of a loop, and send the address of a worker that is not theirs,
 * leave nothing in the process, and keep no honest client out.
 */
@Tag("slow")
class FalseLinksTest {

    private static final Duration LIMIT = TestTime.seconds(30);
    /** For each kind and transport; {@code -Dflood.handshakes=20000} makes the long form. */
    private static final int HANDSHAKES = Integer.getInteger("flood.handshakes", 400);
    private static final int HONEST_EVERY = 100;
    private static final int HANDSHAKES_OF_AN_ADDRESS = 5_000;
    private static final int MAX_MORE = 50;
    private static final int WORKER_AT = 1;
    private static final int PORT_BYTES = 2;

    /** What a stranger sends. */
    enum Kind {
        ADDRESS_OF_THE_LOOP_WITH_ANOTHER_NUMBER,
        PORT_THAT_REFUSES,
        /** The loop begins, and gets no answer to its BIND. */
        WORKER_THAT_DOES_NOT_ANSWER
    }

    @ParameterizedTest
    @CsvSource({"shm, ADDRESS_OF_THE_LOOP_WITH_ANOTHER_NUMBER", "shm, WORKER_THAT_DOES_NOT_ANSWER",
        "tcp, ADDRESS_OF_THE_LOOP_WITH_ANOTHER_NUMBER", "tcp, PORT_THAT_REFUSES", "tcp, WORKER_THAT_DOES_NOT_ANSWER"})
    void leaveNothingInTheLoop(String transports, Kind kind) throws IOException {
        try (ChildJvm child = ChildJvm.of(EchoServerProcess.class).environment("UCX_LOG_LEVEL", "fatal")
                .arguments(transports).start();
                TestLoops loops = new TestLoops("honest", 1, UcxNettyConfig.DEFAULT.withTransports(transports));
                UcpContext context = UcpContext.create(UcpConfig.builder().name("stranger").features(UcpFeature.AM)
                        .setting("POSIX_ERROR_HANDLING", "y").setting("SYSV_ERROR_HANDLING", "y")
                        .transports(transports).build());
                UcpWorker worker = context.createWorker(UcpWorkerConfig.of("stranger"))) {
            InetSocketAddress server = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(
                    child.awaitLine(EchoServerProcess.PORT).substring(EchoServerProcess.PORT.length())));
            int port;
            try (HostileLoop.Greeted channel = HostileLoop.greet(server, 1, 1)) {
                port = channel.port();
            }
            honestClientIsServed(loops, server);
            honestClientIsServed(loops, server);
            byte[] ofLoop;
            try (StrangeLink first = StrangeLink.connect(port, "127.0.0.1", worker.address())) {
                ofLoop = first.loopAddress();
            }
            long mappings = mappings(child);
            long descriptors = descriptors(child);
            long start = System.nanoTime();

            int refusing = refusingPort();
            for (int i = 0; i < HANDSHAKES; i++) {
                byte[] address = numbered(switch (kind) {
                    case ADDRESS_OF_THE_LOOP_WITH_ANOTHER_NUMBER -> ofLoop;
                    case PORT_THAT_REFUSES -> withPort(worker, refusing);
                    case WORKER_THAT_DOES_NOT_ANSWER -> worker.address();
                }, 1 + i);
                try (StrangeLink stranger = StrangeLink.connect(port, "127.0.1." + (1 + i / HANDSHAKES_OF_AN_ADDRESS),
                        address)) {
                    stranger.send(address);
                }
                worker.progress();
                if (i % HONEST_EVERY == 0) {
                    honestClientIsServed(loops, server);
                }
            }

            await().pollInSameThread().atMost(LIMIT).untilAsserted(() -> {
                worker.progress();
                assertThat(mappings(child)).as("mappings").isLessThanOrEqualTo(mappings + MAX_MORE);
                assertThat(descriptors(child)).as("descriptors").isLessThanOrEqualTo(descriptors + MAX_MORE);
            });
            honestClientIsServed(loops, server);
            System.out.println(transports + " " + kind + ": " + HANDSHAKES + " handshakes in "
                    + (System.nanoTime() - start) / 1_000_000 + " ms, mappings before and after " + mappings + ", "
                    + mappings(child) + ", descriptors " + descriptors + ", " + descriptors(child));
        }
    }

    private static void honestClientIsServed(TestLoops loops, InetSocketAddress server) {
        EchoChannel honest = EchoChannel.connect(loops, server);
        honest.echo();
        honest.channel().close().syncUninterruptibly();
    }

    /** Memory of UCX that is shared with others. */
    private static long mappings(ChildJvm process) {
        Path maps = Path.of("/proc", String.valueOf(process.handle().pid()), "maps");
        try (Stream<String> lines = Files.lines(maps, StandardCharsets.ISO_8859_1)) {
            return lines.filter(line -> line.contains("/SYSV") || line.contains("ucx_shm")).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long descriptors(ChildJvm process) {
        try (Stream<Path> all = Files.list(Path.of("/proc", String.valueOf(process.handle().pid()), "fd"))) {
            return all.count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] numbered(byte[] address, long number) {
        byte[] changed = address.clone();
        ByteBuffer.wrap(changed).order(ByteOrder.nativeOrder()).putLong(WORKER_AT, number);
        return changed;
    }

    /** Returns the address of a worker with another port in place of its own, wherever that is. */
    private static byte[] withPort(UcpWorker worker, int other) {
        int own = worker.tcpListeners().addresses().getFirst().getPort();
        byte[] changed = worker.address();
        ByteBuffer bytes = ByteBuffer.wrap(changed);
        for (int at = WORKER_AT + Long.BYTES; at + PORT_BYTES <= changed.length; at++) {
            if (Short.toUnsignedInt(bytes.getShort(at)) == own) {
                bytes.putShort(at, (short) other);
            }
        }
        return changed;
    }

    private static int refusingPort() throws IOException {
        try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return closed.getLocalPort();
        }
    }
}
