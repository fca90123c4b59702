package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.internal.memory.ArenaUses;
import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("slow")
@ExtendWith(NoLeaks.class)
class UcxArenaTest {

    private static UcpContext context() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        return UcpContext.create(UcpConfig.builder().features(UcpFeature.RMA).transports("tcp").build());
    }

    private static ArenaUses usesOf(MemorySegment memory) {
        return Objects.requireNonNull(ArenaUses.of(memory));
    }

    @Test
    void refusesToRegisterMemoryWhoseArenaWasClosedMeanwhile() {
        try (UcpContext context = context()) {
            UcxArena arena = UcxArena.ofShared();
            UcpMemoryParameters parameters = UcpMemoryParameters.register(arena.allocate(4096));
            arena.close();
            assertThatThrownBy(() -> context.map(parameters)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("segment").hasMessageContaining("closed");
            assertThat(context.openRegistrations()).isZero();
        }
    }

    @Test
    void holdsArenaOfRegisteredMemory() {
        try (UcpContext context = context(); UcxArena arena = UcxArena.ofShared()) {
            UcpMemory memory = context.register(arena.allocate(4096));
            assertThatThrownBy(arena::close).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("0 operations and 1 registrations");
            assertThat(arena.uses()).isEqualTo(1);
            memory.close();
            assertThat(arena.uses()).isZero();
        }
    }

    @Test
    void refusesToRegisterMemoryThatCannotBeHeld() {
        try (UcpContext context = context(); Arena shared = Arena.ofShared(); Arena confined = Arena.ofConfined()) {
            for (Arena arena : new Arena[] {shared, confined}) {
                assertThatThrownBy(() -> context.register(arena.allocate(4096)))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageStartingWith("segment: 4096 bytes of an arena that could be closed")
                        .hasMessageContaining("UcxArena");
            }
            assertThat(context.openRegistrations()).isZero();
        }
    }

    /** A failed registration gives the arena back. */
    @Test
    void endsAfterRegistrationThatFailed() {
        UcpContext context = context();
        context.close();
        try (UcxArena arena = UcxArena.ofShared()) {
            UcpMemoryParameters parameters = UcpMemoryParameters.register(arena.allocate(4096));
            assertThatThrownBy(() -> context.map(parameters)).isInstanceOf(UcxClosedException.class);
            assertThat(arena.uses()).isZero();
        }
    }

    @Test
    void tellsMemoryThatCanBeFreedFromOther(@TempDir Path folder) throws Exception {
        Path file = Files.write(folder.resolve("file"), new byte[100]);
        try (FileChannel channel = FileChannel.open(file); UcxArena own = UcxArena.ofShared();
                Arena shared = Arena.ofShared(); Arena confined = Arena.ofConfined()) {
            MemorySegment[] held = {MemorySegment.NULL, Arena.global().allocate(8), Arena.ofAuto().allocate(8),
                MemorySegment.ofBuffer(ByteBuffer.allocateDirect(8)), own.allocate(8), own.allocate(8).asSlice(3),
                own.allocate(8).asReadOnly(), MemorySegment.ofBuffer(own.allocate(8).asByteBuffer().slice(1, 2)),
                channel.map(FileChannel.MapMode.READ_ONLY, 0, 100, own),
                channel.map(FileChannel.MapMode.READ_ONLY, 0, 100, Arena.ofAuto()),
                MemorySegment.ofBuffer(channel.map(FileChannel.MapMode.READ_ONLY, 0, 100))};
            for (MemorySegment each : held) {
                assertThatCode(() -> UcxArena.requireHeld(each, "memory")).doesNotThrowAnyException();
            }
            MemorySegment[] other = {shared.allocate(8), confined.allocate(8), shared.allocate(8).asSlice(3),
                MemorySegment.ofBuffer(shared.allocate(8).asByteBuffer().slice(1, 2)),
                channel.map(FileChannel.MapMode.READ_ONLY, 0, 100, shared)};
            for (MemorySegment each : other) {
                assertThatThrownBy(() -> UcxArena.requireHeld(each, "memory"))
                        .isInstanceOf(IllegalArgumentException.class).hasMessageStartingWith("memory: ");
            }
        }
    }

    @Test
    void unmapsFileOnlyWhenNothingUsesIt(@TempDir Path folder) throws Exception {
        Path file = Files.write(folder.resolve("file"), new byte[] {1, 2, 3});
        UcxArena arena = UcxArena.ofShared();
        MemorySegment mapped;
        try (FileChannel channel = FileChannel.open(file)) {
            mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, 3, arena);
        }
        usesOf(mapped).pin();
        assertThatThrownBy(arena::close).isInstanceOf(IllegalStateException.class);
        assertThat(mapped.get(ValueLayout.JAVA_BYTE, 2)).isEqualTo((byte) 3);
        usesOf(mapped).unpin();
        arena.close();
        assertThatThrownBy(() -> mapped.get(ValueLayout.JAVA_BYTE, 2)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void closesOnce() throws Exception {
        UcxArena arena = UcxArena.ofShared();
        arena.close();
        assertThatThrownBy(arena::close).isInstanceOf(IllegalStateException.class).hasMessageContaining("is closed");
        assertThatThrownBy(() -> arena.closeAsync().get(10, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> arena.allocate(1)).isInstanceOf(IllegalStateException.class);
        UcxArena unused = UcxArena.ofShared();
        unused.closeAsync().get(10, TimeUnit.SECONDS);
        assertThatThrownBy(unused::close).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void tellsEachCallerOfItsEnd() throws Exception {
        UcxArena arena = UcxArena.ofShared();
        ArenaUses use = usesOf(arena.allocate(1));
        use.pin();
        CompletableFuture<Void> first = arena.closeAsync();
        CompletableFuture<Void> second = arena.closeAsync();
        first.cancel(true);
        assertThatThrownBy(use::pin).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("closed");
        assertThatThrownBy(arena::close).isInstanceOf(IllegalStateException.class).hasMessageContaining("1 operations");
        assertThat(second.isDone()).isFalse();
        use.unpin();
        second.get(10, TimeUnit.SECONDS);
        assertThat(arena.scope().isAlive()).isFalse();
    }

    @Test
    void saysThatAbandonedOperationKeepsItsMemory() {
        UcxArena arena = UcxArena.ofShared();
        ArenaUses use = usesOf(arena.allocate(1));
        use.pin();
        CompletableFuture<Void> closed = arena.closeAsync();
        use.abandon();
        assertThatThrownBy(() -> closed.get(10, TimeUnit.SECONDS)).hasCauseInstanceOf(IllegalStateException.class)
                .hasMessageContaining("abandoned");
        assertThatThrownBy(arena::close).isInstanceOf(IllegalStateException.class).hasMessageContaining("abandoned");
        assertThat(arena.scope().isAlive()).isTrue();
    }

    /** Each round one of two threads wins: the one that begins a use, or the one that ends the arena. */
    @Test
    void neverEndsWhileUseBegins() throws Exception {
        for (int i = 0; i < 500; i++) {
            UcxArena arena = UcxArena.ofShared();
            MemorySegment memory = arena.allocate(1);
            ArenaUses use = usesOf(memory);
            CompletableFuture<Void> user = CompletableFuture.runAsync(() -> {
                try {
                    use.pin();
                } catch (IllegalArgumentException e) {
                    return;
                }
                try {
                    assertThat(memory.get(ValueLayout.JAVA_BYTE, 0)).isZero();
                } finally {
                    use.unpin();
                }
            });
            CompletableFuture<Void> closed = arena.closeAsync();
            user.get(10, TimeUnit.SECONDS);
            try {
                closed.get(10, TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                // The thread was reading at that moment.
                arena.close();
            }
            assertThat(memory.scope().isAlive()).isFalse();
        }
    }

    /** A program ends with an exception that names the remedy, and not with a signal or wrong bytes. */
    @ParameterizedTest
    @CsvSource({"tcp, receive", "tcp, get", "tcp, rendezvous", "posix, receive", "posix, get", "posix, rendezvous"})
    void endsProgramThatClosesItsArenaTooEarlyWithTheRemedy(String transport, String operation) {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        ChildJvm.Result shared = ChildJvm.of(ArenaProgram.class).arguments(transport, operation, "shared").run();
        assertThat(shared.exitCode()).as(shared.output()).isEqualTo(1);
        assertThat(shared.output()).contains("IllegalArgumentException: ").contains("use a UcxArena");
        ChildJvm.Result own = ChildJvm.of(ArenaProgram.class).arguments(transport, operation, "own").run();
        assertThat(own.exitCode()).as(own.output()).isEqualTo(1);
        assertThat(own.output()).contains("in flight").contains("IllegalStateException: arena: 1 operations")
                .contains("closeAsync()").contains("ended in order");
    }

    /** The property lets memory through that the library cannot hold. */
    @Test
    void takesAnyArenaWhereTheApplicationAnswersForIt() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        ChildJvm.Result result = ChildJvm.of(ArenaProgram.class).options("-Dio.reactorucx.arenas.unchecked=true")
                .arguments("tcp", "receive", "patient").run();
        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(result.output()).contains("in flight").contains("ended in order");
    }
}
