package io.reactorucx.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.RemoteMemory;
import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcpCapability;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.memory.MemoryPath;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Remote memory between two processes: by the device, and served by the peer. */
@ParameterizedClass(name = "{0} {1}")
@MethodSource("io.reactorucx.rdma.Verbs#withModes")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RemoteMemoryTest {

    @Parameter(0)
    private Verbs verbs;
    @Parameter(1)
    private ErrorMode mode;
    private ServerProcess server;
    private Client client;

    @BeforeParameterizedClassInvocation
    void connect() {
        server = ServerProcess.start(verbs, mode == ErrorMode.NONE ? "none" : "peer");
        client = Client.connect(verbs, mode, server.port());
    }

    @AfterParameterizedClassInvocation
    void end() {
        try (ServerProcess ended = server) {
            client.close();
            ended.end(mode);
        }
    }

    private void use(boolean ofUcx, MemoryPath path, Consumer<RemoteMemory> action) {
        RemoteMemory memory = client.connection().memory(client.window(ofUcx), path);
        try {
            action.accept(memory);
        } finally {
            memory.close();
        }
    }

    /** Datagrams have no operations on memory; a connection of rc has, but for some releases of UCX in mode PEER. */
    @Test
    void pathIsTheDevicesWhereItHasOne() {
        use(true, MemoryPath.AUTO, memory -> assertThat(memory.path().block(Client.LIMIT))
                .isEqualTo(hasDeviceGets() ? MemoryPath.ONE_SIDED : MemoryPath.SERVED));
    }

    private boolean hasDeviceGets() {
        return verbs == Verbs.RC
                && client.resources().context().support(UcpCapability.DEVICE_GETS, mode).isSupported();
    }

    @ParameterizedTest(name = "{0}, memory of UCX: {1}, {2} bytes")
    @CsvSource({"AUTO, true, 8", "AUTO, true, 8192", "AUTO, true, 1048576", "AUTO, true, 16777216", "AUTO, false, 8",
        "AUTO, false, 1048576", "SERVED, true, 8", "SERVED, true, 1048576", "SERVED, false, 1048576",
        "SERVED, false, 16777216"})
    void whatIsPutIsGot(MemoryPath path, boolean ofUcx, int bytes) {
        use(ofUcx, path, memory -> {
            MemorySegment content = Contents.of(bytes + 4L, bytes);
            MemorySegment back = Contents.empty(bytes);
            memory.put(0, content).then(memory.flush()).block(Client.LIMIT);
            memory.get(0, back).block(Client.LIMIT);
            Contents.requireSame(back, content);
        });
    }

    @Test
    void fluxOfPartsIsTheWhole() {
        int bytes = 4 << 20;
        use(true, MemoryPath.AUTO, memory -> {
            MemorySegment content = Contents.of(5, bytes);
            memory.put(0, content).then(memory.flush()).block(Client.LIMIT);
            long[] place = {0};
            memory.getFlux(0, bytes, 1 << 20, 4).doOnNext(part -> {
                Contents.requireSame(part.segment(), content.asSlice(place[0], part.length()));
                place[0] += part.length();
                part.release();
            }).blockLast(Client.LIMIT);
            assertThat(place[0]).isEqualTo(bytes);
        });
    }

    @ParameterizedTest
    @EnumSource(value = MemoryPath.class, names = {"AUTO", "SERVED"})
    void atomicsCount(MemoryPath path) {
        use(true, path, memory -> {
            memory.put(0, Contents.empty(16)).then(memory.flush()).block(Client.LIMIT);
            memory.atomics().add(0, 5).then(memory.flush()).block(Client.LIMIT);
            assertThat(memory.atomics().fetchAdd(0, 7).block(Client.LIMIT)).isEqualTo(5);
            assertThat(memory.atomics().compareAndSwap(0, 12, 99).block(Client.LIMIT)).isEqualTo(12);
            assertThat(memory.atomics().swap(0, 1).block(Client.LIMIT)).isEqualTo(99);
            assertThat(memory.atomics().fetchOr(0, 6).block(Client.LIMIT)).isEqualTo(1);
            assertThat(memory.intAtomics().fetchAdd(8, 3).block(Client.LIMIT)).isZero();
            assertThat(memory.intAtomics().fetchAdd(8, 0).block(Client.LIMIT)).isEqualTo(3);
        });
    }

    @Test
    void oneSidedPathToMemoryThatIsNotRegisteredIsRefused() {
        assertThatThrownBy(() -> client.connection().memory(client.window(false), MemoryPath.ONE_SIDED))
                .isInstanceOf(UcxUnsupportedException.class).hasMessageContaining("ONE_SIDED");
    }

    /**
     * While the server's process stands still the device alone can answer. Atomics are not among it: UCX takes them
     * from a device that has all of its operations, which plain verbs have not.
     */
    @Test
    void deviceAnswersWhileThePeerStandsStill() {
        assumeTrue(hasDeviceGets(), "datagrams, and some releases of UCX, need the peer's processor");
        use(true, MemoryPath.AUTO, memory -> {
            MemorySegment content = Contents.of(6, 65_536);
            MemorySegment other = Contents.of(7, 65_536);
            MemorySegment back = Contents.empty(65_536);
            memory.put(0, content).then(memory.flush()).block(Client.LIMIT);
            server.signal("STOP");
            try {
                memory.get(0, back).block(Client.LIMIT);
                Contents.requireSame(back, content);
                memory.put(0, other).then(memory.flush()).block(Client.LIMIT);
                memory.get(0, back).block(Client.LIMIT);
                Contents.requireSame(back, other);
            } finally {
                server.signal("CONT");
            }
        });
    }
}
