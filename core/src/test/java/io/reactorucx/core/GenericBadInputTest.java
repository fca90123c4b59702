package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.AbstractSet;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** Application code that runs while an operation is posted and misuses the worker. */
class GenericBadInputTest extends BadInput {

    private static final Set<RequestFlag> PLAIN = Set.of();
    private static final long TAG = 5;
    private final MemorySegment good = Pair.pattern(16);
    private final List<String> calls = new ArrayList<>();

    /** Data of some size that runs actions when it starts and when it ends. */
    private UcpData data(Runnable onStart, LongSupplier size, Runnable onFinish) {
        GenericDatatype.State state = new GenericDatatype.State() {
            @Override
            public long packedSize() {
                return size.getAsLong();
            }

            @Override
            public void pack(long offset, MemorySegment destination) {
            }

            @Override
            public void unpack(long offset, MemorySegment source) {
            }

            @Override
            public void finish() {
                calls.add("finish");
                onFinish.run();
            }
        };
        return UcpData.generic(new GenericDatatype() {
            @Override
            public State startPack() {
                onStart.run();
                return state;
            }

            @Override
            public State startUnpack() {
                onStart.run();
                return state;
            }
        });
    }

    private UcpEndpoint another() {
        UcpEndpoint another = pair.client.connect(pair.server.address(), pair.options(ErrorMode.PEER, "server"));
        pair.run(another::flush);
        return another;
    }

    @Test
    void refusesCloseOfEndpointWhileItsOperationIsPosted() {
        UcpEndpoint endpoint = another();
        Runnable close = () -> endpoint.close(CloseMode.FORCE, NEVER);
        List<UcpData> closing = List.of(data(close, () -> 16, () -> { }), data(() -> { }, () -> {
            close.run();
            return 16;
        }, () -> { }));
        for (UcpData data : closing) {
            assertThatThrownBy(() -> endpoint.dataOperations().tagSend(data, TAG, PLAIN, NEVER))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("worker: called by a generic datatype or data placement, which may not use it");
        }
        assertThat(endpoint.isClosed()).isFalse();
        assertThat(calls).as("of the one that had started").containsExactly("finish");
        pair.run(endpoint::flush);
    }

    @Test
    void refusesSecondReceiveOfMessageWhileTheFirstIsPosted() {
        pair.run(done -> pair.toServer.tagSend(good, null, TAG, done));
        pair.until(() -> pair.server.tags().probe(TAG, -1).isPresent(), "the message");
        UcpTagMessage message = pair.server.tags().take(TAG, -1).orElseThrow();
        UcpData into = UcpData.of(Arena.ofAuto().allocate(16));
        assertThatThrownBy(() -> pair.server.tags().receive(message,
                data(() -> pair.server.tags().receive(message, into, NEVER), () -> 16, () -> { }), NEVER))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("generic datatype");
        Outcome received = new Outcome();
        pair.server.tags().receive(message, into, received);
        pair.awaitOk(received);
    }

    /** A set whose methods run application code. */
    private static <T> Set<T> thatRuns(Runnable action) {
        return new AbstractSet<>() {
            @Override
            public Iterator<T> iterator() {
                action.run();
                return Set.<T>of().iterator();
            }

            @Override
            public int size() {
                action.run();
                return 0;
            }

            @Override
            public boolean contains(Object element) {
                action.run();
                return false;
            }
        };
    }

    @Test
    void checksEndpointAfterSetOfFlagsHasRun() {
        UcpData payload = UcpData.of(good);
        List<Consumer<UcpEndpoint>> sends = List.of(
                endpoint -> endpoint.dataOperations().tagSend(payload, TAG, thatRuns(() -> close(endpoint)), NEVER),
                endpoint -> endpoint.dataOperations().tagSendSync(payload, TAG, thatRuns(() -> close(endpoint)), NEVER),
                endpoint -> endpoint.dataOperations().amSend(Pair.ID, Pair.EMPTY, payload, Set.of(),
                        thatRuns(() -> close(endpoint)), NEVER),
                endpoint -> endpoint.dataOperations().amSend(Pair.ID, Pair.EMPTY, payload,
                        thatRuns(() -> close(endpoint)), PLAIN, NEVER),
                endpoint -> endpoint.stream().send(payload, thatRuns(() -> close(endpoint)), NEVER));
        for (Consumer<UcpEndpoint> send : sends) {
            UcpEndpoint endpoint = another();
            assertThatThrownBy(() -> send.accept(endpoint)).isInstanceOf(UcxClosedException.class);
        }
        assertThat(pair.server.tags().probe(TAG, -1)).isEmpty();
    }

    private void close(UcpEndpoint endpoint) {
        if (!endpoint.isClosed()) {
            endpoint.close(CloseMode.FORCE, (status, length, tag) -> { });
        }
    }

    @Test
    void checksWorkerAfterSetOfFlagsHasRun() {
        UcpWorker closing = pair.context.createWorker(UcpWorkerConfig.of("closing"));
        assertThatThrownBy(() -> closing.tags().receive(UcpData.of(good), TAG, -1, thatRuns(closing::close), NEVER))
                .isInstanceOf(UcxClosedException.class);
    }

    @Test
    void finishesGenericDataThatCannotTellItsSize() {
        for (LongSupplier size : List.<LongSupplier>of(() -> -1, () -> {
            throw new AssertionError("a size of a test");
        })) {
            calls.clear();
            UcpData bad = data(() -> { }, size, () -> {
                throw new IllegalStateException("an end of a test");
            });
            assertThatThrownBy(() -> pair.toServer.dataOperations().tagSend(bad, TAG, PLAIN, NEVER))
                    .isNotInstanceOf(IllegalStateException.class)
                    .satisfies(e ->
                    assertThat(e.getSuppressed()).singleElement().isInstanceOf(IllegalStateException.class));
            assertThat(calls).containsExactly("finish");
        }
    }

    @Test
    void completesOperationWhoseDataThrowsErrorAtItsEnd() {
        Outcome received = new Outcome();
        UcpRequest request = pair.server.tags().receive(data(() -> { }, () -> 16, () -> {
            throw new AssertionError("an end of a test");
        }), TAG, -1, PLAIN, received);
        request.cancel();
        assertThat(pair.await(received)).isEqualTo(UcxStatus.IO_ERROR);
        assertThat(calls).containsExactly("finish");
    }

    @Test
    void refusesGenericDataWithoutCompletionBeforeItStarts() {
        UcpData data = data(() -> calls.add("start"), () -> 16, () -> { });
        assertThatThrownBy(() -> pair.toServer.dataOperations().tagSend(data, TAG, PLAIN, null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("whenDone");
        assertThat(calls).isEmpty();
    }
}
