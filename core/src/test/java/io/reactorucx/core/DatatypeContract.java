package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.error.UcxUnsupportedException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Data of every layout. */
abstract class DatatypeContract extends LinkContract {

    /** More than the queues of all transports hold. */
    private static final long LARGE = 16 << 20;
    private static final long TAG = 0x77;
    private static final Set<RequestFlag> PLAIN = Set.of();

    DatatypeContract(Link link) {
        super(link);
    }

    private Outcome send(UcpData payload, RequestFlag... flags) {
        return Outcome.of(done -> pair.toServer.dataOperations().tagSend(payload, TAG, Set.of(flags), done)
                .isImmediate());
    }

    private Outcome receive(UcpData destination) {
        return Outcome.of(done -> pair.server.tags().receive(destination, TAG, -1, PLAIN, done).isImmediate());
    }

    /** Uneven pieces of one segment, an empty one among them. */
    private static List<MemorySegment> pieces(MemorySegment whole) {
        List<MemorySegment> pieces = new ArrayList<>(List.of(MemorySegment.NULL));
        long offset = 0;
        for (long size = 1; offset < whole.byteSize(); size = size * 3 + 1) {
            long bytes = Math.min(size, whole.byteSize() - offset);
            pieces.add(whole.asSlice(offset, bytes));
            offset += bytes;
        }
        return pieces;
    }

    private static MemorySegment backwards(MemorySegment memory) {
        Reversed reversed = Reversed.ofSize(memory.byteSize());
        reversed.startUnpack().unpack(0, memory);
        return reversed.memory;
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 100, 8192, 100_000, 4 << 20})
    void gathersSegmentsIntoOneMessage(long bytes) {
        MemorySegment payload = Pair.pattern(bytes);
        MemorySegment destination = Arena.ofAuto().allocate(bytes);
        Outcome received = receive(UcpData.of(destination));
        pair.awaitOk(send(UcpData.ofSegments(pieces(payload))));
        pair.awaitOk(received);
        assertThat(received.length()).isEqualTo(bytes);
        assertThat(destination.mismatch(payload)).isEqualTo(-1);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 100, 8192, 100_000, 4 << 20})
    void scattersMessageIntoSegments(long bytes) {
        MemorySegment payload = Pair.pattern(bytes);
        MemorySegment destination = Arena.ofAuto().allocate(bytes + 10).fill((byte) 0x55);
        Outcome received = receive(UcpData.ofSegments(pieces(destination)));
        pair.awaitOk(send(UcpData.of(payload)));
        pair.awaitOk(received);
        assertThat(received.length()).isEqualTo(bytes);
        assertThat(destination.asSlice(0, bytes).mismatch(payload)).isEqualTo(-1);
        assertThat(destination.asSlice(bytes).mismatch(Arena.ofAuto().allocate(10).fill((byte) 0x55))).isEqualTo(-1);
    }

    @Test
    void reportsTruncationOfMessageThatSegmentsCannotHold() {
        Outcome sent = send(UcpData.of(Pair.pattern(101)));
        Outcome received =
                receive(UcpData.ofSegments(List.of(Arena.ofAuto().allocate(50), Arena.ofAuto().allocate(50))));
        assertThat(pair.await(received)).isEqualTo(UcxStatus.MESSAGE_TRUNCATED);
        pair.awaitOk(sent);
        pair.assertStillWorks();
    }

    @ParameterizedTest
    @EnumSource(AmProtocol.class)
    void carriesSegmentsInActiveMessage(AmProtocol protocol) {
        for (long bytes : new long[] {1, 100, 8192, 1 << 20}) {
            MemorySegment payload = Pair.pattern(bytes);
            MemorySegment header = Pair.pattern(24);
            Outcome sent = Outcome.of(
                    done -> pair.toServer.dataOperations().amSend(Pair.ID, header, UcpData.ofSegments(pieces(payload)),
                    flags(protocol), PLAIN, done).isImmediate());
            UcpActiveMessage message = pair.awaitMessage();
            assertThat(message.length()).isEqualTo(bytes);
            assertThat(message.header().mismatch(header)).isEqualTo(-1);
            assertThat(pair.data(message).mismatch(payload)).isEqualTo(-1);
            pair.awaitOk(sent);
        }
    }

    private static Set<AmSendFlag> flags(AmProtocol protocol) {
        return switch (protocol) {
            case AUTO -> Set.of();
            case EAGER -> Set.of(AmSendFlag.EAGER);
            case RENDEZVOUS -> Set.of(AmSendFlag.RENDEZVOUS);
        };
    }

    @ParameterizedTest
    @EnumSource(value = AmProtocol.class, names = {"EAGER", "RENDEZVOUS"})
    void fetchesActiveMessageIntoSegments(AmProtocol protocol) {
        MemorySegment payload = Pair.pattern(1 << 20);
        Outcome sent = pair.send(Pair.EMPTY, payload, protocol);
        UcpActiveMessage message = pair.awaitMessage();
        assumeTrue(!message.isInline(), link + " hands large eager data over only within the upcall: nothing is held");
        MemorySegment destination = Arena.ofAuto().allocate((1 << 20) + 10).fill((byte) 0x55);
        Outcome fetched = Outcome.of(
                done -> pair.server.activeMessages().fetchInto(message, UcpData.ofSegments(pieces(destination)), PLAIN,
                        done).isImmediate());
        pair.awaitOk(fetched);
        pair.awaitOk(sent);
        assertThat(destination.asSlice(0, 1 << 20).mismatch(payload)).isEqualTo(-1);
        assertThat(destination.asSlice(1 << 20).mismatch(Arena.ofAuto().allocate(10).fill((byte) 0x55))).isEqualTo(-1);
        assertThat(pair.server.activeMessages().held()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 100, 8192, 100_000, 1 << 20})
    void packsGenericData(long bytes) {
        Reversed payload = new Reversed(Pair.pattern(bytes));
        MemorySegment destination = Arena.ofAuto().allocate(bytes);
        Outcome received = receive(UcpData.of(destination));
        pair.awaitOk(send(UcpData.generic(payload)));
        pair.awaitOk(received);
        assertThat(destination.mismatch(backwards(payload.memory))).isEqualTo(-1);
        assertThat(payload.starts).isEqualTo(1);
        assertThat(payload.finishes).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 100, 8192, 100_000, 1 << 20})
    void unpacksGenericData(long bytes) {
        MemorySegment payload = Pair.pattern(bytes);
        for (boolean arrivedBefore : new boolean[] {false, true}) {
            Reversed destination = Reversed.ofSize(bytes);
            Outcome sent = arrivedBefore ? send(UcpData.of(payload)) : null;
            if (arrivedBefore) {
                pair.until(() -> pair.server.tags().probe(TAG, -1).isPresent(), "the message");
            }
            Outcome received = receive(UcpData.generic(destination));
            pair.awaitOk(sent == null ? send(UcpData.of(payload)) : sent);
            pair.awaitOk(received);
            assertThat(destination.memory.mismatch(backwards(payload))).isEqualTo(-1);
            assertThat(destination.finishes).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {101, 1 << 20})
    void reportsTruncationOfMessageThatGenericDataCannotHold(long bytes) {
        Reversed destination = Reversed.ofSize(100);
        Outcome received = receive(UcpData.generic(destination));
        pair.awaitOk(send(UcpData.of(Pair.pattern(bytes))));
        assertThat(pair.await(received)).isEqualTo(UcxStatus.MESSAGE_TRUNCATED);
        assertThat(destination.finishes).isEqualTo(1);
        pair.assertStillWorks();
    }

    @ParameterizedTest
    @ValueSource(longs = {100, 100_000, 1 << 20})
    void failsSendWhoseDataThrowsInsteadOfAborting(long bytes) {
        Reversed payload = new Reversed(Pair.pattern(bytes));
        payload.throwsWhileMoving = true;
        MemorySegment destination = Arena.ofAuto().allocate(bytes).fill((byte) 0x55);
        Outcome received = receive(UcpData.of(destination));
        assertFailsWithIoError(done -> pair.toServer.dataOperations().tagSend(UcpData.generic(payload), TAG, PLAIN,
                done));
        pair.awaitOk(received);
        assertThat(destination.mismatch(Arena.ofAuto().allocate(bytes))).as("bytes other than zeros").isEqualTo(-1);
        assertThat(payload.finishes).isEqualTo(1);
        pair.assertStillWorks();
    }

    @ParameterizedTest
    @ValueSource(longs = {100, 100_000, 1 << 20})
    void failsReceiveWhoseDataThrowsInsteadOfAborting(long bytes) {
        Reversed destination = Reversed.ofSize(bytes);
        destination.throwsWhileMoving = true;
        Outcome sent = send(UcpData.of(Pair.pattern(bytes)));
        assertFailsWithIoError(done -> pair.server.tags().receive(UcpData.generic(destination), TAG, -1, PLAIN, done));
        pair.awaitOk(sent);
        assertThat(destination.finishes).isEqualTo(1);
        pair.assertStillWorks();
    }

    private void assertFailsWithIoError(Function<Completion, UcpRequest> operation) {
        try {
            Outcome outcome = Outcome.of(done -> operation.apply(done).isImmediate());
            assertThat(pair.await(outcome)).isEqualTo(UcxStatus.IO_ERROR);
        } catch (UcxException e) {
            assertThat(e.status()).isEqualTo(UcxStatus.IO_ERROR);
            assertThat(e).hasCauseInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void endsGenericDataOfCancelledReceive() {
        Reversed destination = Reversed.ofSize(100);
        Outcome outcome = new Outcome();
        UcpRequest request = pair.server.tags().receive(UcpData.generic(destination), TAG, -1, PLAIN, outcome);
        assertThat(request.isInFlight()).isTrue();
        request.cancel();
        assertThat(pair.await(outcome)).isEqualTo(UcxStatus.CANCELED);
        assertThat(destination.finishes).isEqualTo(1);
        assertThat(request.isInFlight()).isFalse();
    }

    @Test
    void sendsElements() {
        MemorySegment payload = Pair.pattern(24_000);
        MemorySegment destination = Arena.ofAuto().allocate(24_000);
        Outcome received = receive(UcpData.elements(destination, 24));
        pair.awaitOk(send(UcpData.elements(payload, 12)));
        pair.awaitOk(received);
        assertThat(received.length()).isEqualTo(24_000);
        assertThat(destination.mismatch(payload)).isEqualTo(-1);
    }

    @ParameterizedTest
    @EnumSource(value = RequestFlag.class, names = "FORCE_IMMEDIATE_COMPLETION", mode = EnumSource.Mode.EXCLUDE)
    void sendsWithEveryFlag(RequestFlag flag) {
        for (long bytes : new long[] {1, 8192, 1 << 20}) {
            MemorySegment payload = Pair.pattern(bytes);
            MemorySegment destination = Arena.ofAuto().allocate(bytes);
            Outcome received = receive(UcpData.of(destination));
            Outcome sent = send(UcpData.of(payload), flag);
            pair.awaitOk(received);
            pair.awaitOk(sent);
            assertThat(destination.mismatch(payload)).isEqualTo(-1);
            pair.run(done -> pair.toServer.dataOperations().amSend(Pair.ID, Pair.EMPTY, UcpData.of(payload),
                    Set.of(AmSendFlag.EAGER), Set.of(flag), done).isImmediate());
            assertThat(pair.data(pair.awaitMessage()).mismatch(payload)).isEqualTo(-1);
        }
    }

    @Test
    void completesLaterWhatWouldEndWithinTheCall() {
        Outcome sent = send(UcpData.of(Pair.pattern(1)), RequestFlag.NO_IMMEDIATE_COMPLETION);
        assertThat(sent.isDone()).as("a completion within the call").isFalse();
        pair.awaitOk(sent);
        pair.awaitOk(receive(UcpData.of(Arena.ofAuto().allocate(1))));
    }

    @Test
    void refusesSendThatWouldNotEndWithinTheCall() {
        assertThatThrownBy(() -> pair.toServer.dataOperations().tagSend(UcpData.of(Pair.pattern(1 << 20)), TAG,
                Set.of(RequestFlag.FORCE_IMMEDIATE_COMPLETION), BadInput.NEVER))
                .isInstanceOfSatisfying(UcxException.class,
                        e -> assertThat(e.status()).isEqualTo(UcxStatus.NO_RESOURCE));
        assertThat(pair.client.inFlight()).isZero();
        pair.assertStillWorks();
    }

    @Test
    void describesOperationInFlight() {
        MemorySegment payload = Pair.pattern(1 << 20);
        Outcome sent = new Outcome();
        UcpRequest send = pair.toServer.dataOperations().tagSendSync(UcpData.of(payload), TAG, PLAIN, sent);
        Outcome received = new Outcome();
        UcpRequest receive = pair.server.tags().receive(UcpData.of(Arena.ofAuto().allocate(10)), TAG + 1, -1, PLAIN,
                received);
        for (UcpRequest request : List.of(send, receive)) {
            assertThat(request.info().status()).isEqualTo(UcxStatus.IN_PROGRESS);
            assertThat(request.info().description()).contains("length");
            assertThat(request.info().memoryType()).isEqualTo(UcxMemoryType.HOST);
        }
        receive.cancel();
        assertThat(pair.await(received)).isEqualTo(UcxStatus.CANCELED);
        pair.awaitOk(receive(UcpData.of(Arena.ofAuto().allocate(1 << 20))));
        pair.awaitOk(sent);
        assertThatThrownBy(send::info).isInstanceOf(IllegalStateException.class).hasMessageContaining("has ended");
    }

    @Test
    void keepsRequestsInMemoryOfTheProcess() {
        for (int round = 0; round < 300; round++) {
            for (long bytes : new long[] {1, 8192, 200_000}) {
                MemorySegment payload = Pair.pattern(bytes);
                MemorySegment destination = Arena.ofAuto().allocate(bytes);
                Outcome received = Outcome.of(done -> pair.server.tags()
                        .receive(UcpData.of(destination), TAG, -1, Set.of(RequestFlag.USER_REQUEST), done)
                        .isImmediate());
                Outcome sent = Outcome.of(done -> pair.toServer.dataOperations()
                        .tagSendSync(UcpData.of(payload), TAG, Set.of(RequestFlag.USER_REQUEST), done).isImmediate());
                pair.awaitOk(received);
                pair.awaitOk(sent);
                assertThat(destination.mismatch(payload)).isEqualTo(-1);
            }
        }
        assertThat(pair.client.inFlight() + pair.server.inFlight()).isZero();
        Outcome cancelled = new Outcome();
        pair.server.tags().receive(UcpData.of(Pair.pattern(10)), TAG, -1, Set.of(RequestFlag.USER_REQUEST), cancelled)
                .cancel();
        assertThat(pair.await(cancelled)).isEqualTo(UcxStatus.CANCELED);
    }

    /** A success that comes with the close would be none: UCX has not sent the rest. */
    @Test
    void failsEverySendInFlightWhenItsEndpointIsForcedToClose() {
        assumeTrue(link.errorMode() == ErrorMode.PEER, "only an endpoint with peer failure handling closes by force");
        List<Outcome> sent = new ArrayList<>();
        for (RequestFlag flag : List.of(RequestFlag.USER_REQUEST, RequestFlag.MULTI_SEND)) {
            for (UcpData payload : List.of(UcpData.of(Pair.pattern(LARGE)),
                    UcpData.ofSegments(pieces(Pair.pattern(LARGE))),
                    UcpData.generic(new Reversed(Pair.pattern(LARGE))))) {
                sent.add(send(payload, flag));
                sent.add(Outcome.of(done -> pair.toServer.dataOperations().tagSendSync(payload, TAG, Set.of(flag), done)
                        .isImmediate()));
            }
        }
        pair.step();
        // Newer versions have sent as much as the peer's queue has room for.
        List<Outcome> inFlight = sent.stream().filter(each -> !each.isDone()).toList();
        assertThat(inFlight).as("in flight").hasSizeGreaterThan(sent.size() / 2);
        pair.run(done -> pair.toServer.close(CloseMode.FORCE, done));
        inFlight.forEach(each -> assertThat(pair.await(each)).isNotEqualTo(UcxStatus.OK));
        assertThat(pair.client.inFlight()).isZero();
    }

    @Test
    void asksUcxForPackedSize() {
        UcpData data = UcpData.ofSegments(pieces(Pair.pattern(1000)));
        if (pair.context.support(UcpCapability.DATATYPE_QUERY).isSupported()) {
            assertThat(data.packedSize(pair.context)).isEqualTo(1000);
        } else {
            assertThatThrownBy(() -> data.packedSize(pair.context)).isInstanceOf(UcxUnsupportedException.class);
        }
    }
}
