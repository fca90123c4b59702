package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.error.UcxUnsupportedException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The end of memory that UCX uses beyond a call. */
abstract class ArenaContract extends LinkContract {

    /** More than UCX sends along: an operation on it is in flight until the peer takes part. */
    private static final int LARGE = 4 << 20;
    private static final long TAG = 5;

    ArenaContract(Link link) {
        super(link);
    }

    /** An operation that UCX has not completed when its call returns. */
    enum Pending {
        RECEIVE {
            @Override
            Outcome post(Pair pair, MemorySegment memory) {
                Outcome outcome = new Outcome();
                pair.server.tags().receive(memory.asSlice(0, 8), null, TAG, -1, outcome);
                return outcome;
            }

            @Override
            void let(Pair pair) {
                pair.run(done -> pair.toServer.tagSend(Pair.pattern(8), null, TAG, done));
            }
        },
        RECEIVE_OF_SEGMENTS {
            @Override
            Outcome post(Pair pair, MemorySegment memory) {
                Outcome outcome = new Outcome();
                pair.server.tags().receive(UcpData.ofSegments(List.of(memory.asSlice(0, 3), memory.asSlice(10, 5))),
                        TAG, -1, Set.of(), outcome);
                return outcome;
            }

            @Override
            void let(Pair pair) {
                pair.run(done -> pair.toServer.tagSend(Pair.pattern(8), null, TAG, done));
            }
        },
        TAG_RENDEZVOUS {
            @Override
            Outcome post(Pair pair, MemorySegment memory) {
                return Outcome.of(done -> pair.toServer.tagSend(memory, null, TAG, done));
            }

            @Override
            void let(Pair pair) {
                Outcome received = new Outcome();
                pair.server.tags().receive(Arena.ofAuto().allocate(LARGE), null, TAG, -1, received);
                pair.awaitOk(received);
            }
        },
        SYNCHRONOUS_SEND {
            @Override
            Outcome post(Pair pair, MemorySegment memory) {
                return Outcome.of(done -> pair.toServer.tagSendSync(memory.asSlice(0, 8), null, TAG, done));
            }

            @Override
            void let(Pair pair) {
                Outcome received = new Outcome();
                pair.server.tags().receive(Arena.ofAuto().allocate(8), null, TAG, -1, received);
                pair.awaitOk(received);
            }
        },
        ACTIVE_MESSAGE_RENDEZVOUS {
            @Override
            Outcome post(Pair pair, MemorySegment memory) {
                return pair.send(Pair.EMPTY, memory, AmProtocol.RENDEZVOUS);
            }

            @Override
            void let(Pair pair) {
                pair.data(pair.awaitMessage());
            }
        },
        STREAM_RECEIVE {
            @Override
            Outcome post(Pair pair, MemorySegment memory) {
                Outcome outcome = new Outcome();
                pair.toClient.stream().receive(UcpData.of(memory.asSlice(0, 8)), true, outcome);
                return outcome;
            }

            @Override
            void let(Pair pair) {
                pair.run(done -> pair.toServer.stream().send(Pair.pattern(8), null, done));
            }
        };

        abstract Outcome post(Pair pair, MemorySegment memory);

        /** Does the peer's part. */
        abstract void let(Pair pair);
    }

    @ParameterizedTest
    @EnumSource(Pending.class)
    void refusesToEndArenaThatOperationUses(Pending operation) {
        UcxArena arena = UcxArena.ofShared();
        MemorySegment memory = arena.allocate(LARGE).fill((byte) 1);
        Outcome pending = operation.post(pair, memory);
        assertThat(pending.isDone()).as("whether the operation ended within its call").isFalse();
        assertThat(arena.uses()).isPositive();
        assertThatThrownBy(arena::close).isInstanceOf(IllegalStateException.class)
                .hasMessageMatching("arena: [12] operations and 0 registrations of UCX use its memory.*closeAsync.*");
        assertThat(memory.scope().isAlive()).isTrue();
        operation.let(pair);
        pair.awaitOk(pending);
        assertThat(arena.uses()).isZero();
        arena.close();
        assertThat(memory.scope().isAlive()).isFalse();
        pair.assertStillWorks();
    }

    @ParameterizedTest
    @EnumSource(Pending.class)
    void endsArenaAfterTheLastOperation(Pending operation) throws Exception {
        UcxArena arena = UcxArena.ofShared();
        MemorySegment memory = arena.allocate(LARGE);
        Outcome pending = operation.post(pair, memory);
        CompletableFuture<Void> closed = arena.closeAsync();
        assertThat(closed.isDone()).isFalse();
        assertThat(memory.scope().isAlive()).isTrue();
        assertThatThrownBy(() -> pair.server.tags().receive(memory, null, TAG, -1, new Outcome()))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("closed");
        assertThatThrownBy(() -> arena.allocate(1)).isInstanceOf(IllegalStateException.class);
        operation.let(pair);
        pair.awaitOk(pending);
        closed.get(10, TimeUnit.SECONDS);
        assertThat(memory.scope().isAlive()).isFalse();
        pair.assertStillWorks();
    }

    @ParameterizedTest
    @EnumSource(Pending.class)
    void refusesMemoryOfArenasThatCannotBeHeld(Pending operation) {
        try (Arena shared = Arena.ofShared(); Arena confined = Arena.ofConfined()) {
            for (Arena arena : List.of(shared, confined)) {
                assertThatThrownBy(() -> operation.post(pair, arena.allocate(LARGE)))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageMatching("(payload|destination): .* bytes of an arena that could be closed.*"
                                + "UcxArena.*lease.*Arena.ofAuto\\(\\)");
            }
        }
        assertThat(pair.server.inFlight() + pair.client.inFlight()).isZero();
        pair.assertStillWorks();
    }

    @Test
    void holdsDestinationOfGet() {
        try (UcpMemory remote = pair.context.register(Pair.pattern(LARGE));
                UcpRemoteKey key = pair.toServer.unpack(remote.descriptor());
                UcxArena arena = UcxArena.ofShared(); Arena shared = Arena.ofShared()) {
            assertThatThrownBy(() -> pair.toServer.get(shared.allocate(8), null, key, 0, new Outcome()))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageStartingWith("destination: 8 bytes")
                    .hasMessageContaining("UcxArena");
            assertThatThrownBy(() -> pair.toServer.put(shared.allocate(129), null, key, 0, new Outcome()))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageStartingWith("source: 129 bytes")
                    .hasMessageContaining("UcxArena");
            MemorySegment destination = arena.allocate(LARGE);
            Outcome got = Outcome.of(done -> pair.toServer.get(destination, null, key, 0, done));
            assumeTrue(!got.isDone(), link + " gets within the call: no operation is in flight");
            assertThatThrownBy(arena::close).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("1 operations");
            pair.awaitOk(got);
            assertThat(destination.mismatch(remote.segment())).isEqualTo(-1);
        }
    }

    @Test
    void holdsDestinationOfFetch() {
        MemorySegment payload = Pair.pattern(LARGE);
        Outcome sent = pair.send(Pair.EMPTY, payload, AmProtocol.RENDEZVOUS);
        UcpActiveMessage offer = pair.awaitMessage();
        try (UcxArena arena = UcxArena.ofShared(); Arena shared = Arena.ofShared()) {
            assertThatThrownBy(() -> pair.server.activeMessages().fetch(offer, shared.allocate(LARGE), null,
                    new Outcome())).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("destination: ").hasMessageContaining("UcxArena");
            assertThat(pair.server.activeMessages().holds(offer)).as("still to be fetched").isTrue();
            MemorySegment destination = arena.allocate(LARGE);
            Outcome fetched = Outcome.of(
                    done -> pair.server.activeMessages().fetch(offer, destination, null, done));
            if (!fetched.isDone()) {
                assertThatThrownBy(arena::close).isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("1 operations");
            }
            pair.awaitOk(fetched);
            pair.awaitOk(sent);
            assertThat(destination.mismatch(payload)).isEqualTo(-1);
        }
    }

    @Test
    void holdsReplyOfAtomicOperation() {
        try (UcpMemory remote = pair.context.register(Arena.ofAuto().allocate(8, 8).fill((byte) 0));
                UcpRemoteKey key = pair.toServer.unpack(remote.descriptor());
                UcxArena arena = UcxArena.ofShared(); Arena shared = Arena.ofShared()) {
            for (AtomicOperation operation : List.of(AtomicOperation.ADD, AtomicOperation.XOR)) {
                assertThatThrownBy(() -> pair.toServer.atomics().fetch(operation, AtomicWidth.LONG, 1,
                        shared.allocate(8, 8), key, 0, new Outcome())).isInstanceOf(IllegalArgumentException.class)
                        .hasMessageStartingWith("reply: 8 bytes").hasMessageContaining("UcxArena");
            }
            if (!pair.context.support(UcpCapability.ATOMICS_64, link.errorMode()).isSupported()) {
                assertThatThrownBy(() -> pair.toServer.atomics().fetch(AtomicOperation.ADD, AtomicWidth.LONG, 1,
                        arena.allocate(8, 8), key, 0, new Outcome())).isInstanceOf(UcxUnsupportedException.class);
                return;
            }
            Outcome added = Outcome.of(done -> pair.toServer.atomics().fetch(AtomicOperation.ADD, AtomicWidth.LONG, 1,
                    arena.allocate(8, 8), key, 0, done));
            if (!added.isDone()) {
                assertThatThrownBy(arena::close).isInstanceOf(IllegalStateException.class);
            }
            pair.awaitOk(added);
        }
    }

    /** A lease of a pool is such a part, and an operation may be given it without the registration. */
    @Test
    void holdsRegistrationWhosePartIsUsedWithoutIt() {
        try (UcxArena arena = UcxArena.ofShared();
                UcpMemory memory = pair.context.register(arena.allocate(LARGE))) {
            MemorySegment part = memory.view(10, 20, new Object());
            Outcome received = new Outcome();
            pair.server.tags().receive(part, null, TAG, -1, received);
            assertThatThrownBy(memory::close).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("1 operations still use it");
            pair.run(done -> pair.toServer.tagSend(Pair.pattern(20), null, TAG, done));
            pair.awaitOk(received);
            assertThat(part.mismatch(Pair.pattern(20))).isEqualTo(-1);
        }
    }

    /** What is copied before the call returns needs no arena that waits. */
    @Test
    void takesSmallPayloadsOfAnyArena() {
        try (Arena confined = Arena.ofConfined()) {
            MemorySegment payload = confined.allocate(100).copyFrom(Pair.pattern(100));
            Outcome tagged = Outcome.of(done -> pair.toServer.tagSend(payload, null, TAG, done));
            Outcome sent = pair.send(payload.asSlice(0, 28), payload, AmProtocol.AUTO);
            payload.fill((byte) 0x55);
            pair.awaitOk(sent);
            assertThat(pair.data(pair.awaitMessage()).mismatch(Pair.pattern(100))).isEqualTo(-1);
            Outcome received = new Outcome();
            MemorySegment destination = Arena.ofAuto().allocate(100);
            pair.server.tags().receive(destination, null, TAG, -1, received);
            pair.awaitOk(received);
            pair.awaitOk(tagged);
            assertThat(destination.mismatch(Pair.pattern(100))).isEqualTo(-1);
        }
    }
}
