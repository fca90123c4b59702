package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.memory.MemoryPath;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.memory.UcxMemoryWindow;
import io.reactorucx.memory.WindowDescriptor;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Which of the two paths a window is reached by, with UCX's remote access on at both sides or at one. */
@ExtendWith(NoLeaks.class)
class MemoryPathTest implements NeedsUcx {

    private static final Set<MemoryRight> ALL = EnumSet.allOf(MemoryRight.class);
    private static final int WINDOW_BYTES = 100_000;
    private static final int CHUNK_BYTES = 1000;
    /** Of {@link #assertReadsAndWrites}: a put, a get, and one for each chunk. */
    private static final int OPERATIONS = 2 + WINDOW_BYTES / CHUNK_BYTES;

    private static void assertReadsAndWrites(RemoteMemory remote, MemorySegment memory) {
        MemorySegment source = Bytes.pattern(3, memory.byteSize());
        remote.put(0, source).then(remote.flush()).block(Waits.PATIENCE);
        Bytes.assertSame(memory, source);
        Bytes.assertSame(Objects.requireNonNull(remote.get(0, Bytes.zeroed(memory.byteSize())).block(Waits.PATIENCE)),
                source);
        remote.getFlux(CHUNK_BYTES, 3).doOnNext(UcxBuffer::release).blockLast(Waits.PATIENCE);
    }

    @ParameterizedTest
    @CsvSource({"POSIX_BY_SOCKET_ADDRESS, ONE_SIDED", "TCP_BY_SOCKET_ADDRESS, SERVED",
        "POSIX_BY_WORKER_ADDRESS, ONE_SIDED"})
    void memoryThatUcxAllocatedIsReachedOneSidedWhereTheTransportIs(Route route, MemoryPath expected) {
        try (Peers peers = Peers.connect(route)) {
            UcpMemory memory = peers.serverResources().allocateMemory(WINDOW_BYTES);
            UcxMemoryWindow window = peers.serverResources().exportMemory(memory, ALL);
            assertThat(window.descriptor().oneSided()).isPresent();
            RemoteMemory remote = peers.client().memory(WindowDescriptor.fromBytes(window.descriptor().toBytes()));

            assertThat(remote.path().block(Waits.PATIENCE)).isEqualTo(expected);

            assertReadsAndWrites(remote, memory.segment());
            memory.segment().set(ValueLayout.JAVA_LONG, 8, 5);
            assertThat(remote.atomics().fetchAdd(8, 2).block(Waits.PATIENCE)).isEqualTo(5);
            assertThat(memory.segment().get(ValueLayout.JAVA_LONG, 8)).isEqualTo(7);
            await("atomic operations are served").atMost(Waits.PATIENCE)
                    .until(() -> peers.serverResources().servedMemory().served() > 0);
            remote.close();
            Waits.engineOf(peers.client());
            window.revoke().block(Waits.PATIENCE);
            memory.close();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"POSIX_BY_SOCKET_ADDRESS", "TCP_BY_SOCKET_ADDRESS"})
    void pathCanBeForced(Route route) {
        try (Peers peers = Peers.connect(route)) {
            UcpMemory memory = peers.serverResources().allocateMemory(WINDOW_BYTES);
            UcxMemoryWindow window = peers.serverResources().exportMemory(memory, ALL);
            for (MemoryPath path : new MemoryPath[] {MemoryPath.SERVED, MemoryPath.ONE_SIDED}) {
                RemoteMemory remote = peers.client().memory(window.descriptor(), path);
                assertThat(remote.path().block(Waits.PATIENCE)).isEqualTo(path);
                assertReadsAndWrites(remote, memory.segment());
                if (path == MemoryPath.SERVED) {
                    await("served, and counted when UCX says that each reply has left").atMost(Waits.PATIENCE)
                            .until(() -> peers.serverResources().servedMemory().served() == OPERATIONS);
                } else {
                    assertThat(peers.serverResources().servedMemory().served()).as("not one more")
                            .isEqualTo(OPERATIONS);
                }
                remote.close();
                Waits.engineOf(peers.client());
            }
            window.revoke().block(Waits.PATIENCE);
            memory.close();
        }
    }

    @Test
    void memoryOfTheCallerAndWindowsWithFewerRightsAreServed() {
        try (Peers peers = Peers.connect(Route.POSIX_BY_SOCKET_ADDRESS)) {
            UcxResources owner = peers.serverResources();
            UcpMemory registered = owner.registerMemory(Bytes.zeroed(1000));
            UcpMemory allocated = owner.allocateMemory(1000);
            RemoteMemory ofCaller = peers.client().memory(owner.exportMemory(registered, ALL).descriptor());
            assertThat(ofCaller.path().block(Waits.PATIENCE)).isEqualTo(MemoryPath.SERVED);
            assertReadsAndWrites(ofCaller, registered.segment());
            for (Set<MemoryRight> few : Set.of(Set.of(MemoryRight.READ),
                    Set.of(MemoryRight.WRITE, MemoryRight.ATOMIC))) {
                WindowDescriptor descriptor = owner.exportMemory(allocated, few).descriptor();
                assertThat(descriptor.oneSided()).isEmpty();
                assertThatThrownBy(() -> peers.client().memory(descriptor, MemoryPath.ONE_SIDED))
                        .isInstanceOf(UcxUnsupportedException.class);
            }
            assertThat(peers.served().exportMemory(allocated, ALL).descriptor().oneSided()).as("of one connection")
                    .isEmpty();
            assertThat(owner.exportMemory(Bytes.zeroed(100), ALL).descriptor().oneSided()).as("of a segment").isEmpty();
        }
    }

    @Test
    void rawPeersHaveUcxsOwnPathOnly() {
        try (Peers peers = Peers.connect(Route.SELF)) {
            UcpMemory memory = peers.serverResources().allocateMemory(10_000);
            UcxMemoryWindow window = peers.serverResources().exportMemory(memory, ALL);
            RemoteMemory remote = peers.client().memory(window.descriptor());
            assertThat(remote.path().block(Waits.PATIENCE)).isEqualTo(MemoryPath.ONE_SIDED);
            assertReadsAndWrites(remote, memory.segment());
            assertThatThrownBy(() -> peers.client().memory(window.descriptor(), MemoryPath.SERVED))
                    .isInstanceOf(UcxUnsupportedException.class).hasMessageContaining("raw");
            remote.close();
            Waits.engineOf(peers.client());
        }
    }
}
