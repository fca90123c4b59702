package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.shm.SharedPages;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.testsupport.NoLeaks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Flux;

/** Rings with another process, which dies or stops while both write: that costs its own connections only. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class RingProcessesTest implements NeedsUcx {

    private static final String[] TRANSPORTS = {"posix", "tcp"};
    private static final int RING_BYTES = 512 << 10;
    private static final long BOTH_RINGS = 2 * SharedPages.mappedBytes(RING_BYTES);

    private UcxResources resources;
    private EchoProcess server;

    @BeforeEach
    void start() {
        resources = UcxResources.builder().transports(TRANSPORTS).remoteMemoryAccess(true).maxBufferBytes(256L << 20)
                .ringBytes(RING_BYTES).build();
        server = new EchoProcess(RING_BYTES, TRANSPORTS);
    }

    @AfterEach
    void close() {
        if (server != null) {
            server.goOn();
            server.close();
        }
        if (resources != null) {
            ResourceAssertions.in(resources);
        }
    }

    private UcxConnection connect(EchoProcess to) {
        UcxConnection connection = to.client(resources).connectNow();
        Waits.soon().untilAsserted(() -> assertThat(resources.buffers().mappedBytes()).as("rings of both sides")
                .isGreaterThanOrEqualTo(BOTH_RINGS));
        return connection;
    }

    private static byte[] numbered(int number, int bytes) {
        return ByteBuffer.allocate(bytes).putInt(number).array();
    }

    private static void send(ActiveMessages messages, int number) {
        messages.send(EchoServer.ECHO, numbered(number, 4 + number % 500))
                .subscribe(ignored -> { }, error -> { });
    }

    private static int number(ActiveMessage echo) {
        return echo.data().get(ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN), 0);
    }

    private static long ringFiles() {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.filter(RingProcessesTest::isRing).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isRing(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("/memfd:reactor-ucx");
        } catch (IOException e) {
            return false; // It was closed meanwhile.
        }
    }

    @Test
    void processThatIsKilledAtAnyTimeCostsItsConnections() {
        long before = ringFiles();
        for (int round = 0; round < 4; round++) {
            int killedAfter = round == 0 ? 0 : new Random(round).nextInt(3000);
            UcxConnection connection = connect(server);
            Inbox echoes = Inbox.of(connection, EchoServer.ECHOED);
            ActiveMessages messages = connection.activeMessages();
            int sent = 0;
            while (sent < 64) {
                send(messages, sent++);
            }
            for (int i = 0; i < killedAfter; i++) {
                assertThat(number(echoes.next())).as("echo").isEqualTo(i);
                send(messages, sent++);
            }
            PendingOperation sending = PendingOperation.of(Flux.range(0, Integer.MAX_VALUE)
                    .flatMap(i -> messages.send(EchoServer.IGNORED, numbered(i, 4 + i % 500)), 64).then());

            server.kill();

            assertThat(sending.failure()).isInstanceOf(UcxException.class);
            assertThat(Waits.failure(echoes.end())).isInstanceOf(UcxException.class);
            connection.onDispose().block(Waits.PATIENCE);
            server.close();
            server = new EchoProcess(RING_BYTES, TRANSPORTS);
        }
        UcxConnection last = connect(server);
        Inbox echoes = Inbox.of(last, EchoServer.ECHOED);
        last.activeMessages().send(EchoServer.ECHO, numbered(4711, 4)).block(Waits.PATIENCE);
        assertThat(number(echoes.next())).isEqualTo(4711);

        await("the end of the rings of the dead").atMost(Waits.PATIENCE).untilAsserted(() -> {
            assertThat(resources.buffers().mappedBytes()).isEqualTo(BOTH_RINGS);
            assertThat(ringFiles()).isEqualTo(before + 1);
        });
        last.disposeNow();
        server.end();
    }

    @Test
    void senderSleepsUntilAStoppedProcessGoesOn() {
        try (EchoProcess other = new EchoProcess(RING_BYTES, TRANSPORTS)) {
            UcxConnection stopped = connect(server);
            UcxConnection honest = connect(other);
            Inbox honestEchoes = Inbox.of(honest, EchoServer.ECHOED);

            server.stop();
            PendingOperation sending = PendingOperation.of(Flux.range(0, 1500)
                    .flatMap(i -> stopped.activeMessages().send(EchoServer.IGNORED, numbered(i, 1000)), 128).then());
            MemorySegment small = Bytes.pattern(1, 100);
            for (int i = 0; i < 200; i++) {
                honest.activeMessages().send(EchoServer.ECHO, small).block(Waits.PATIENCE);
                Bytes.assertSame(Bytes.of(honestEchoes.next()), small);
            }
            sending.assertPending("messages beyond a full ring");
            long sleeps = resources.engines().getFirst().counters().sleeps();
            await("sleep of the engine with a full ring").atMost(Waits.PATIENCE)
                    .until(() -> resources.engines().getFirst().counters().sleeps() > sleeps + 2);
            sending.assertPending("messages beyond a full ring");

            server.goOn();
            sending.assertDone();
            // In good order: it would be lost if a message had not come.
            stopped.disposeNow();
            honest.disposeNow();
            server.end();
            other.end();
        }
    }
}
