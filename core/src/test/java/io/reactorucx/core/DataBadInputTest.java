package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxUnsupportedException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class DataBadInputTest extends BadInput {

    private static final Set<RequestFlag> PLAIN = Set.of();
    private final MemorySegment good = Pair.pattern(16);

    private UcpRequest send(UcpData payload, RequestFlag... flags) {
        return pair.toServer.dataOperations().tagSend(payload, 1, Set.of(flags), NEVER);
    }

    static Stream<Arguments> badMemory() {
        return Stream.of(argumentSet("on the heap", heap()), argumentSet("in a closed arena", inClosedArena()));
    }

    @ParameterizedTest
    @MethodSource("badMemory")
    void refusesSegmentThatUcxCannotReach(MemorySegment bad) {
        for (UcpData data : List.of(UcpData.of(bad), UcpData.elements(bad, 4),
                UcpData.ofSegments(List.of(good, bad)))) {
            assertThatThrownBy(() -> send(data)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("payload");
            assertThatThrownBy(() -> pair.server.tags().receive(data, 1, -1, PLAIN, NEVER))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("destination");
            assertThatThrownBy(() -> pair.toServer.stream().send(data, PLAIN, NEVER))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(pair.client.inFlight() + pair.server.inFlight()).isZero();
    }

    @Test
    void refusesReadOnlySegmentAsDestination() {
        UcpData data = UcpData.ofSegments(List.of(good, good.asReadOnly()));
        assertThatThrownBy(() -> pair.server.tags().receive(data, 1, -1, PLAIN, NEVER))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("read-only");
    }

    @Test
    void refusesListWithoutSegmentsOnWhichUcxAborts() {
        assertThatThrownBy(() -> UcpData.ofSegments(List.of())).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("segments.size() 0");
        assertThatThrownBy(() -> UcpData.ofSegments(Collections.nCopies(UcpData.MAX_SEGMENTS + 1, good)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void refusesElementsThatDoNotFill() {
        assertThatThrownBy(() -> UcpData.elements(good, 5)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must divide");
        assertThatThrownBy(() -> UcpData.elements(good, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> UcpData.elements(Pair.EMPTY, 1L << 40)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void refusesFlagsThatContradictEachOther() {
        assertThatThrownBy(() -> send(UcpData.of(good), RequestFlag.FAST_COMPLETION, RequestFlag.MULTI_SEND))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("exclude each other");
        assertThatThrownBy(() -> send(UcpData.of(good), RequestFlag.NO_IMMEDIATE_COMPLETION,
                RequestFlag.FORCE_IMMEDIATE_COMPLETION))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("exclude each other");
        assertThatThrownBy(() -> pair.toServer.dataOperations().amSend(Pair.ID, Pair.EMPTY, UcpData.of(good),
                Set.of(AmSendFlag.EAGER, AmSendFlag.RENDEZVOUS), PLAIN, NEVER))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("exclude each other");
    }

    @Test
    void refusesMemoryThatNoTransportKnows() {
        assumeFalse(pair.context.attributes().memoryTypes().contains(UcxMemoryType.CUDA), "this UCX knows CUDA");
        assertThatThrownBy(() -> send(UcpData.of(good).in(UcxMemoryType.CUDA)))
                .isInstanceOf(UcxUnsupportedException.class)
                .hasMessageContaining("memory of type CUDA");
        assertThat(pair.client.inFlight()).isZero();
    }

    @Test
    void refusesImmediateReceiveWithWhichUcxLosesMessages() {
        assertThatThrownBy(() -> pair.server.tags()
                .receive(UcpData.of(good), 1, -1, Set.of(RequestFlag.FORCE_IMMEDIATE_COMPLETION), NEVER))
                .isInstanceOf(UcxUnsupportedException.class).hasMessageContaining("loses the message");
    }

    @Test
    void refusesImmediateSynchronousSend() {
        assertThatThrownBy(() -> pair.toServer.dataOperations()
                .tagSendSync(UcpData.of(good), 1, Set.of(RequestFlag.FORCE_IMMEDIATE_COMPLETION),
                NEVER)).isInstanceOf(UcxUnsupportedException.class);
    }

    @Test
    void refusesSegmentsInActiveMessageThatUcxWouldTakeForBytes() {
        assertThatThrownBy(() -> pair.toServer.dataOperations()
                .amSend(Pair.ID, Pair.EMPTY, UcpData.ofSegments(List.of(good)), Set.of(),
                Set.of(RequestFlag.NO_IMMEDIATE_COMPLETION), NEVER)).isInstanceOf(UcxUnsupportedException.class);
    }

    @Test
    void saysThatOldUcxCannotCopyHeaders() {
        assumeFalse(Ucx.version().isAtLeast(1, 14), "UCX " + Ucx.version() + " copies headers");
        assertThatThrownBy(() -> pair.toServer.dataOperations()
                .amSend(Pair.ID, Pair.EMPTY, UcpData.of(good), Set.of(AmSendFlag.COPY_HEADER), PLAIN,
                NEVER)).isInstanceOf(UcxUnsupportedException.class).hasMessageContaining("1.14");
    }

    @Test
    void refusesHeaderThatIsTooLong() {
        MemorySegment header = MemorySegment.ofArray(new byte[pair.client.maxHeaderBytes() + 1]);
        assertThatThrownBy(() -> pair.toServer.dataOperations()
                .amSend(Pair.ID, header, UcpData.of(good), Set.of(), PLAIN, NEVER))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("header of");
    }

    @Test
    void refusesDestinationSmallerThanActiveMessage() {
        Outcome sent = pair.send(Pair.EMPTY, Pair.pattern(100_000), AmProtocol.RENDEZVOUS);
        UcpActiveMessage message = pair.awaitMessage();
        assertThatThrownBy(() -> pair.server.activeMessages()
                .fetchInto(message, UcpData.ofSegments(List.of(good, good)), PLAIN, NEVER))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("the message has 100000");
        assertThatThrownBy(() -> pair.server.activeMessages()
                .fetchInto(message, UcpData.generic(Reversed.ofSize(100_000)), PLAIN, NEVER))
                .isInstanceOf(UcxUnsupportedException.class);
        pair.server.activeMessages().release(message);
        pair.awaitOk(sent);
        assertThatThrownBy(() -> pair.server.activeMessages()
                .fetchInto(message, UcpData.of(Arena.ofAuto().allocate(100_000)), PLAIN, NEVER))
                .isInstanceOf(IllegalStateException.class);
    }

    /**
     * Data that has arrived already is copied by this library and not by UCX, so this library has to check the flags
     * and arguments that UCX would check.
     */
    private UcpActiveMessage awaitEagerMessage() {
        pair.server.activeMessages().handler(Pair.ID, message -> pair.received.add(message.keep()), true);
        pair.awaitOk(pair.send(Pair.EMPTY, Pair.pattern(100_000), AmProtocol.EAGER));
        UcpActiveMessage message = pair.awaitMessage();
        assertThat(message.isInline() || message.isRendezvous()).isFalse();
        return message;
    }

    @Test
    void refusesEagerDataToMemoryThatProcessorMayNotReach() {
        UcpActiveMessage message = awaitEagerMessage();
        MemorySegment destination = Arena.ofAuto().allocate(100_000);
        assumeFalse(pair.context.attributes().memoryTypes().contains(UcxMemoryType.ROCM),
                "a transport of this context knows ROCM");
        assertThatThrownBy(() -> pair.server.activeMessages()
                .fetchInto(message, UcpData.of(destination).in(UcxMemoryType.ROCM), PLAIN, NEVER))
                .isInstanceOf(UcxUnsupportedException.class).hasMessageContaining("ROCM");
        Set<RequestFlag> exclusive = Set.of(RequestFlag.FAST_COMPLETION, RequestFlag.MULTI_SEND);
        assertThatThrownBy(() -> pair.server.activeMessages()
                .fetchInto(message, UcpData.of(destination), exclusive, NEVER))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("exclude each other");
        assertThat(pair.server.activeMessages().holds(message)).isTrue();
        Set<RequestFlag> detect = Set.of(RequestFlag.DETECT_MEMORY_TYPE);
        assumeTrue(pair.context.attributes().memoryTypes().stream().allMatch(UcxMemoryType::isHostAccessible),
                "there is other memory");
        assertThat(pair.server.activeMessages().fetchInto(message, UcpData.of(destination), detect, NEVER)
                .isImmediate()).isTrue();
        assertThat(destination.mismatch(Pair.pattern(100_000))).isEqualTo(-1);
    }

    @Test
    void completesFetchOfEagerDataThatShallNotEndWithinTheCall() {
        UcpActiveMessage message = awaitEagerMessage();
        MemorySegment destination = Arena.ofAuto().allocate(100_010).fill((byte) 0x55);
        Set<RequestFlag> later = Set.of(RequestFlag.NO_IMMEDIATE_COMPLETION);
        assertThatThrownBy(() -> pair.server.activeMessages().fetchInto(message, UcpData.of(destination), later, null))
                .isInstanceOf(NullPointerException.class);
        Outcome fetched = Outcome.of(done -> pair.server.activeMessages()
                .fetchInto(message, UcpData.of(destination), later, done).isImmediate());
        assertThat(fetched.isDone()).as("a completion within the call").isFalse();
        pair.awaitOk(fetched);
        assertThat(fetched.length()).isEqualTo(100_000);
        assertThat(destination.asSlice(0, 100_000).mismatch(Pair.pattern(100_000))).isEqualTo(-1);
        assertThat(pair.server.activeMessages().holds(message)).isFalse();
        assertThat(pair.server.inFlight()).isZero();
    }

    @Test
    void refusesGenericDataOfNegativeSize() {
        GenericDatatype.State negative = new GenericDatatype.State() {
            @Override
            public long packedSize() {
                return -1;
            }

            @Override
            public void pack(long offset, MemorySegment destination) {
            }

            @Override
            public void unpack(long offset, MemorySegment source) {
            }

            @Override
            public void finish() {
            }
        };
        assertThatThrownBy(() -> send(UcpData.generic(returning(negative))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("packedSize() -1");
    }

    private static GenericDatatype returning(GenericDatatype.State state) {
        return new GenericDatatype() {
            @Override
            public State startPack() {
                return state;
            }

            @Override
            public State startUnpack() {
                return state;
            }
        };
    }

    @Test
    void refusesWorkerToCallbackOfGenericData() {
        Reversed reversed = new Reversed(good);
        GenericDatatype.State posting = new GenericDatatype.State() {
            @Override
            public long packedSize() {
                return 16;
            }

            @Override
            public void pack(long offset, MemorySegment destination) {
                pair.toServer.tagSend(good, null, 2, NEVER);
            }

            @Override
            public void unpack(long offset, MemorySegment source) {
            }

            @Override
            public void finish() {
                reversed.finishes++;
            }
        };
        assertThatThrownBy(() -> send(UcpData.generic(returning(posting)))).isInstanceOfSatisfying(UcxException.class,
                e -> assertThat(e).hasRootCauseMessage(
                        "worker: called by a generic datatype or data placement, which may not use it"));
        assertThat(reversed.finishes).isEqualTo(1);
        Outcome received = new Outcome();
        pair.server.tags().receive(Arena.ofAuto().allocate(16), null, 1, -1, received);
        pair.awaitOk(received);
    }

    @Test
    void refusesWorkerCloseWhileTakenMessageIsNotReceived() {
        pair.run(done -> pair.toServer.tagSend(good, null, 1, done));
        pair.until(() -> pair.server.tags().probe(1, -1).isPresent(), "the message");
        UcpTagMessage message = pair.server.tags().take(1, -1).orElseThrow();
        assertThatThrownBy(pair.server::close).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("1 tagged messages");
        Outcome received = new Outcome();
        pair.server.tags().receive(message, UcpData.of(Arena.ofAuto().allocate(16)), received);
        pair.awaitOk(received);
    }

    @Test
    void refusesOtherThreads() {
        assertThat(thrownOnAnotherThread(() -> pair.server.tags().probe(1, -1)))
                .isInstanceOf(IllegalStateException.class);
        assertThat(thrownOnAnotherThread(() -> pair.toServer.stream().borrow()))
                .isInstanceOf(IllegalStateException.class);
        assertThat(thrownOnAnotherThread(() -> pair.server.streams().poll())).isInstanceOf(IllegalStateException.class);
        assertThat(thrownOnAnotherThread(() -> send(UcpData.of(good)))).isInstanceOf(IllegalStateException.class);
    }
}
