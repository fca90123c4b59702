package io.reactorucx.core.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** An arena's memory is freed after its last use, never before, and each caller is told of it. */
class ArenaUsesTest {

    private static void await(CompletableFuture<Void> end) throws Exception {
        end.get(10, TimeUnit.SECONDS);
    }

    private static Throwable failure(CompletableFuture<Void> end) {
        assertThat(end).isCompletedExceptionally();
        return end.exceptionNow();
    }

    @Test
    void isFoundByItsMemoryUntilItEnds() {
        ArenaUses uses = ArenaUses.open();
        MemorySegment memory = uses.allocate(64, 32);
        assertThat(memory.byteSize()).isEqualTo(64);
        assertThat(memory.address() % 32).isZero();
        assertThat(ArenaUses.of(memory.asSlice(7, 3))).isSameAs(uses);
        uses.close();
        assertThat(ArenaUses.of(memory)).isNull();
        assertThat(memory.scope().isAlive()).isFalse();
    }

    @Test
    void countsOperationsAndRegistrationsApart() {
        ArenaUses uses = ArenaUses.open();
        uses.pin();
        uses.pin();
        uses.registration().pin();
        assertThat(uses.count()).isEqualTo(3);
        assertThatThrownBy(uses::close).isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("arena: 2 operations and 1 registrations");
        uses.registration().unpin();
        assertThat(uses.count()).isEqualTo(2);
        assertThatThrownBy(uses::close).hasMessageStartingWith("arena: 2 operations and 0 registrations");
        uses.unpin();
        uses.unpin();
        assertThat(uses.count()).isZero();
        assertThat(uses.scope().isAlive()).as("memory that is used no more, in an arena that stays open").isTrue();
        uses.close();
    }

    @Test
    void endsWithTheLastUseAndNotWithAnEarlierOne() throws Exception {
        ArenaUses uses = ArenaUses.open();
        uses.pin();
        uses.registration().pin();
        CompletableFuture<Void> end = uses.closeAsync();
        assertThat(uses.count()).isEqualTo(2);
        assertThatThrownBy(() -> uses.allocate(1, 1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(uses.registration()::pin).isInstanceOf(IllegalArgumentException.class);
        uses.unpin();
        assertThat(uses.count()).isEqualTo(1);
        assertThat(uses.scope().isAlive()).isTrue();
        assertThat(end).isNotDone();
        uses.registration().unpin();
        await(end);
        assertThat(uses.scope().isAlive()).isFalse();
        await(uses.closeAsync());
    }

    @Test
    void endsAtOnceWhenNothingUsesIt() {
        ArenaUses uses = ArenaUses.open();
        assertThat(uses.closeAsync()).isCompleted();
        assertThat(uses.scope().isAlive()).isFalse();
        assertThatThrownBy(uses::pin).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("closed");
        assertThatThrownBy(uses::close).isInstanceOf(IllegalStateException.class).hasMessage("arena: it is closed");
    }

    /** A read of a channel uses the memory without being an operation of UCX: Java refuses to end the arena then. */
    @Test
    void staysOpenWhenJavaRefusesToEndIt() throws Exception {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (AsynchronousServerSocketChannel server = AsynchronousServerSocketChannel.open().bind(any);
                AsynchronousSocketChannel client = AsynchronousSocketChannel.open()) {
            client.connect(server.getLocalAddress()).get(10, TimeUnit.SECONDS);
            try (AsynchronousSocketChannel accepted = server.accept().get(10, TimeUnit.SECONDS)) {
                ArenaUses uses = ArenaUses.open();
                Future<Integer> read = client.read(uses.allocate(8, 1).asByteBuffer());
                for (int i = 0; i < 2; i++) {
                    assertThat(failure(uses.closeAsync())).isInstanceOf(IllegalStateException.class);
                    assertThatThrownBy(uses::close).isInstanceOf(IllegalStateException.class);
                }
                assertThat(uses.allocate(1, 1).byteSize()).as("memory of the open arena").isEqualTo(1);
                uses.pin();
                uses.unpin();

                accepted.write(ByteBuffer.allocate(1)).get(10, TimeUnit.SECONDS);
                assertThat(read.get(10, TimeUnit.SECONDS)).isEqualTo(1);
                assertThat(uses.closeAsync()).isCompleted();
                assertThat(uses.scope().isAlive()).isFalse();
            }
        }
    }

    @Test
    void refusesSecondEndAfterClose() {
        ArenaUses uses = ArenaUses.open();
        uses.close();
        for (int i = 0; i < 2; i++) {
            assertThat(failure(uses.closeAsync())).isInstanceOf(IllegalStateException.class)
                    .hasMessage("arena: it is closed");
        }
        assertThatThrownBy(uses::close).hasMessage("arena: it is closed");
        assertThatThrownBy(uses::pin).isInstanceOf(IllegalArgumentException.class);
        assertThat(uses.count()).isZero();
    }

    @Test
    void tellsThatAbandonedUsesKeepItsMemoryWhicheverComesFirst() {
        ArenaUses abandonedFirst = ArenaUses.open();
        abandonedFirst.pin();
        abandonedFirst.abandon();
        assertThat(failure(abandonedFirst.closeAsync())).hasMessageStartingWith(
                "arena: 1 operations and registrations use its memory, 1 of them of workers that were abandoned");
        assertThat(abandonedFirst.scope().isAlive()).isTrue();

        ArenaUses closedFirst = ArenaUses.open();
        closedFirst.registration().pin();
        CompletableFuture<Void> end = closedFirst.closeAsync();
        closedFirst.registration().abandon();
        assertThat(failure(end)).hasMessageContaining("abandoned");
        assertThat(closedFirst.scope().isAlive()).isTrue();
    }

    @Test
    void waitsForUsesThatWereNotAbandoned() {
        ArenaUses uses = ArenaUses.open();
        uses.pin();
        uses.pin();
        uses.abandon();
        CompletableFuture<Void> end = uses.closeAsync();
        assertThat(end).isNotDone();
        uses.unpin();
        assertThat(uses.scope().isAlive()).isTrue();
    }

    @Test
    void cancellingOneCallersFutureLeavesTheOthers() throws Exception {
        ArenaUses uses = ArenaUses.open();
        uses.pin();
        CompletableFuture<Void> first = uses.closeAsync();
        CompletableFuture<Void> second = uses.closeAsync();
        second.complete(null);
        assertThat(first).isNotDone();
        assertThat(uses.scope().isAlive()).isTrue();
        uses.unpin();
        await(first);
        assertThat(uses.scope().isAlive()).isFalse();
    }
}
