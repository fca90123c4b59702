package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.engine.OperationKind;
import io.reactorucx.memory.MemoryPath;
import io.reactorucx.memory.WindowDescriptor;
import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

/** Windows of another process, with UCX's own remote access off on both sides. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@ValueSource(strings = {"posix,tcp", "tcp"})
class ServedMemoryProcessesTest implements NeedsUcx {

    private static final long SIZE = WindowServerProcess.WINDOW_BYTES;

    @Parameter
    private String transports;
    private ChildJvm server;
    private UcxResources resources;
    private UcxConnection connection;
    private RemoteMemory window;

    @BeforeEach
    void connect() {
        assumeUcx();
        server = ChildJvm.of(WindowServerProcess.class).options("-Xmx256m").arguments("false", transports).start();
        String[] ready = server.awaitLine(WindowServerProcess.READY).split(" ");
        resources = UcxResources.builder().transports(transports.split(",")).build();
        connection = UcxClient.create(resources).remoteAddress("127.0.0.1", Integer.parseInt(ready[1])).connectNow();
        window = connection.memory(WindowDescriptor.fromBytes(HexFormat.of().parseHex(ready[2])));
    }

    @AfterEach
    void close() {
        if (server == null) {
            return;
        }
        server.close();
        if (resources != null) {
            ResourceAssertions.in(resources);
        }
    }

    @Test
    void memoryOfTheOtherProcessIsReadWrittenAndCounted() {
        MemorySegment content = Bytes.pattern(1, SIZE);
        assertThat(window.path().block(Waits.PATIENCE)).isEqualTo(MemoryPath.SERVED);
        for (long size : new long[] {0, 1, 8, 8 * Bytes.KIB, Bytes.MIB, SIZE}) {
            long offset = SIZE - size;
            Bytes.assertSame(Objects.requireNonNull(window.get(offset, Bytes.zeroed(size)).block(Waits.PATIENCE)),
                    content.asSlice(offset));
            MemorySegment part = Bytes.pattern(size + 2, size);
            window.put(offset, part).block(Waits.PATIENCE);
            content.asSlice(offset).copyFrom(part);
            Bytes.assertSame(Objects.requireNonNull(window.get(offset, Bytes.zeroed(size)).block(Waits.PATIENCE)),
                    part);
        }
        window.put(0, Bytes.zeroed(8)).block(Waits.PATIENCE);
        Flux.range(0, 1000).flatMap(i -> window.atomics().fetchAdd(0, i), 200).blockLast(Waits.PATIENCE);
        assertThat(window.atomics().fetchAdd(0, 0).block(Waits.PATIENCE)).isEqualTo(999 * 1000 / 2);

        connection.close().block(Waits.PATIENCE);
        server.send("end");
        assertThat(server.result().output()).contains(WindowServerProcess.ENDED + "windows=0 contexts=0");
    }

    @Test
    void everyRequestEndsWhenTheOwnerDies() {
        connection.activeMessages().send(WindowServerProcess.STALL, new byte[1]).block(Waits.PATIENCE);
        server.awaitLine(WindowServerProcess.STALLED);
        Map<String, PendingOperation> pending = new LinkedHashMap<>();
        pending.put("get", PendingOperation.of(window.get(0, Bytes.zeroed(8))));
        pending.put("get of much", PendingOperation.of(window.get(0, Bytes.zeroed(Bytes.MIB))));
        pending.put("put", PendingOperation.of(window.put(0, Bytes.pattern(1, 8))));
        pending.put("put by rendezvous", PendingOperation.of(window.put(0, Bytes.pattern(1, Bytes.MIB))));
        UcxBuffer lease = resources.buffers().acquire(Bytes.MIB);
        pending.put("put of a lease", PendingOperation.of(window.put(0, lease)));
        lease.release();
        pending.put("atomic operation", PendingOperation.of(window.atomics().add(0, 1)));
        pending.put("getFlux", PendingOperation.of(window.getFlux(Bytes.MIB, 4).doOnNext(UcxBuffer::release).then()));
        pending.put("putFlux", PendingOperation.of(window.putFlux(0,
                Flux.range(0, 3).map(i -> resources.buffers().acquire(10)), 2)));
        pending.put("flush", PendingOperation.of(window.flush()));
        Waits.engineOf(connection);
        pending.values().forEach(PendingOperation::assertPending);
        assertThat(resources.buffers().leases())
                .as("kept for what was sent, which nothing but a reply or the end gives back").isPositive();

        server.handle().destroyForcibly();

        pending.forEach((operation, sent) -> assertThat(sent.failure()).as(operation)
                .isInstanceOfSatisfying(UcxException.class,
                    error -> assertThat(error.isConnectionLost()).as("%s: %s", operation, error).isTrue()));
        connection.onDispose().block(Waits.PATIENCE);
    }

    @Test
    void trafficEndsWhenTheOwnerDiesAmid() {
        for (int i = 0; i < 4; i++) {
            window.put(0, Bytes.pattern(i, SIZE)).block(Waits.PATIENCE);
        }
        MemorySegment large = Bytes.pattern(1, 16L * Bytes.MIB);
        PendingOperation traffic = PendingOperation.of(Flux.range(0, Integer.MAX_VALUE)
                .flatMap(i -> i % 3 == 0 ? window.put(0, large).thenReturn(0L)
                : i % 3 == 1 ? window.get(0, Bytes.zeroed(16L * Bytes.MIB)).thenReturn(0L)
                : window.atomics().fetchAdd(0, 1), 9).then());
        PendingOperation chunks = PendingOperation.of(window.getFlux(100_000, 30).doOnNext(UcxBuffer::release).repeat()
                .then());
        long bytes = resources.engines().getFirst().counters().bytes(OperationKind.GET);
        await().atMost(Waits.PATIENCE).until(() -> resources.engines().getFirst().counters()
                .bytes(OperationKind.GET) > bytes + 100L * Bytes.MIB);

        server.handle().destroyForcibly();

        assertThat(traffic.failure()).isInstanceOf(UcxException.class);
        assertThat(chunks.failure()).isInstanceOf(UcxException.class);
        connection.onDispose().block(Waits.PATIENCE);
    }
}
