package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.core.Ucx;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.internal.concurrent.EngineCall;
import io.reactorucx.memory.UcxMemoryWindow;
import io.reactorucx.memory.WindowDescriptor;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/**
 * Every public method with every wrong argument, on one connection: each is told in words that name the argument, its
 * value and the rule, and the connection works as before.
 */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class BadInputTest implements NeedsUcx {

    /** Whose methods are tried. */
    private static final List<Class<?>> TYPES = List.of(UcxServer.class, UcxBoundServer.class, UcxClient.class,
            UcxConnection.class,
            ActiveMessages.class, ActiveMessage.class, Tags.class, RemoteMemory.class, UcxResources.class,
            UcxResourcesBuilder.class,
            UcxBuffer.class, UcxBufferPool.class, ByteStream.class, RemoteAtomics.class,
            UcxInbound.class, UcxOutbound.class,
            UcxReconnectingClient.class, UcxReconnectingConnection.class, UcxConnectionPool.class,
            UcxConnectionPoolBuilder.class,
            PooledConnection.class, UcxMemoryWindow.class, WindowDescriptor.class,
            UcxRequester.class);

    /** Whatever they are given is right: both values of a switch. */
    private static final Set<String> TAKE_ANYTHING = Set.of("UcxServer.raw(boolean)",
            "UcxServer.acceptWorkerAddresses(boolean)", "UcxServer.detailedErrors(boolean)",
            "UcxClient.detailedErrors(boolean)",
            "UcxServer.peerFailureDetection(boolean)", "UcxClient.raw(boolean)",
            "UcxClient.peerFailureDetection(boolean)",
            "UcxResourcesBuilder.remoteMemoryAccess(boolean)", "UcxResourcesBuilder.remoteAtomics(boolean)",
            "UcxResourcesBuilder.streams(boolean)", "UcxResourcesBuilder.sharedBuffers(boolean)",
            "Tags.probe(long,long)", "UcxBuffer.discard(Object)",
            "WindowDescriptor.equals(Object)");

    private static BadInput.Tried tried;

    @BeforeAll
    static void connect() {
        tried = Ucx.isAvailable() ? new BadInput.Tried(Peers.connect(Route.POSIX_BY_SOCKET_ADDRESS)) : null;
    }

    @AfterAll
    static void close() {
        if (tried != null) {
            try {
                tried.close();
            } finally {
                tried.peers.close();
            }
        }
    }

    @AfterEach
    void nothingIsHarmedOrLeft() {
        if (tried == null) {
            return;
        }
        tried.assertUnharmed();
        for (UcxResources resources : List.of(tried.peers.clientResources(), tried.peers.serverResources())) {
            await().atMost(Waits.PATIENCE).pollDelay(Duration.ZERO).untilAsserted(() -> {
                assertThat(resources.openConnections()).as("connections").isEqualTo(1);
                for (ProgressEngine engine : resources.engines()) {
                    assertThat(engine.counters().inFlight()).as("operations in flight").isZero();
                    assertThat(engine.counters().heldMessages()).as("held messages").isZero();
                }
            });
        }
        assertThat(tried.resources().buffers().leases()).as("leases").isZero();
        assertThat(tried.peers.serverResources().buffers().leases()).as("leases, the foreign one aside").isEqualTo(1);
        assertThat(tried.resources().context().registeredBytes()).as("registered bytes, all of the pool")
                .isEqualTo(tried.resources().buffers().slabBytes());
    }

    static Stream<BadInput> cases() {
        return Stream.of(BadMessages.all(), BadMemory.all(), BadServedMemory.all(), BadTransfers.all(),
                BadSettings.all(),
                BadLifecycles.all(), BadLimits.all(), BadObservers.all()).flatMap(List::stream);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void isRefusedInWords(BadInput input) {
        input.check(tried);
    }

    @Test
    void everyPublicMethodIsTried() {
        Set<String> covered = cases().map(BadInput::method).collect(Collectors.toCollection(TreeSet::new));
        covered.addAll(TAKE_ANYTHING);
        Set<String> expected = new TreeSet<>();
        for (Class<?> type : TYPES) {
            assertThat(type.getConstructors()).as("public constructors of " + type).isEmpty();
            for (Method method : apiOf(type)) {
                if (method.getParameterCount() > 0) {
                    expected.add(BadInput.signature(type, method.getName(), method.getParameterTypes()));
                }
            }
        }

        assertThat(expected).isNotEmpty().isSubsetOf(covered);
        assertThat(TAKE_ANYTHING).as("no longer there").isSubsetOf(expected);
    }

    private static List<Method> apiOf(Class<?> type) {
        return Stream.of(type.getDeclaredMethods()).filter(method -> Modifier.isPublic(method.getModifiers())
                && !method.isSynthetic())
                .toList();
    }

    /** Methods that wait, on the thread that they would wait for. */
    enum Wait {
        CONNECT_NOW {
            @Override
            void begin() {
                tried.client().connectNow();
            }
        },
        BIND_NOW {
            @Override
            void begin() {
                tried.server().bindNow();
            }
        },
        DISPOSE_CONNECTION_NOW {
            @Override
            void begin() {
                tried.connection().disposeNow();
            }
        },
        DISPOSE_SERVER_NOW {
            @Override
            void begin() {
                tried.peers.server().disposeNow();
            }
        },
        DISPOSE_RESOURCES_NOW {
            @Override
            void begin() {
                tried.resources().disposeNow();
            }
        },
        BUILD_RESOURCES {
            @Override
            void begin() {
                UcxResources.builder().transports("tcp").build();
            }
        },
        BLOCK {
            @Override
            void begin() {
                tried.connection().flush().block();
            }
        };

        abstract void begin();
    }

    @ParameterizedTest
    @EnumSource
    void waitOnAnEnginesThreadFailsBeforeItBeginsAnything(Wait wait) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        tried.connection().scheduler().schedule(() -> {
            try {
                wait.begin();
                end.complete(null);
            } catch (RuntimeException e) {
                end.completeExceptionally(e);
            }
        });

        assertThat(Waits.failure(end)).isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("not supported in thread",
                "reactor-ucx-0");
        assertThat(tried.peers.server().isDisposed()).isFalse();
        assertThat(tried.resources().isDisposed()).isFalse();
        assertThat(tried.connection().isDisposed()).isFalse();
        assertThat(tried.resources().engines().getFirst().isEngineThread()).isFalse();
    }

    @Test
    void disposedResourcesSayThatTheyAre() {
        UcxResources disposed = UcxResources.builder().transports("tcp").build();
        disposed.disposeNow();
        String[] engine = {"engine reactor-ucx-0", "is closed"};
        String[] resources = {"these resources are closed"};
        List<BadInput> uses = List.of(
                BadInput.onError("UcxClient.connect()", "", UcxClosedException.class, tried ->
                UcxClient.create(disposed)
                        .remoteAddress("127.0.0.1", tried.peers.server().port()).connect(), resources),
                BadInput.onError("UcxServer.bind()", "", UcxClosedException.class, tried -> UcxServer.create(disposed)
                .bind(), resources),
                BadInput.onError("UcxServer.bind()", "raw", UcxClosedException.class, tried ->
                UcxServer.create(disposed).raw(true).bind(),
                        engine),
                BadInput.onError("UcxResources.workerAddress(int)", "",
                UcxClosedException.class, tried -> disposed.workerAddress(0), engine),
                BadInput.thrown("UcxResources.allocateMemory(long)", "",
                UcxClosedException.class, tried -> disposed.allocateMemory(1),
                        "context", "is closed"),
                BadInput.thrown("UcxResources.registerMemory(MemorySegment)", "", UcxClosedException.class,
                        tried -> disposed.registerMemory(tried.good), "context", "is closed"),
                BadInput.thrown("UcxBufferPool.acquire(long)", "",
                IllegalStateException.class, tried -> disposed.buffers().acquire(1),
                        "buffer pool", "closed"));

        uses.forEach(use -> use.check(tried));
        assertThat(disposed.context().openRegistrations()).isZero();
    }

    @Test
    void memoryThatIsAskedForWhileResourcesCloseIsNotLeftBehind() {
        UcxResources closing = UcxResources.builder().transports("tcp").build();
        CompletableFuture<Void> end = new CompletableFuture<>();
        EngineCall.mono(closing.engines().getFirst(), worker -> {
            // Nothing can be closed while the engine's thread is here.
            closing.disposeLater().subscribe(ignored -> { }, end::completeExceptionally, () -> end.complete(null));
            assertThatThrownBy(() -> closing.allocateMemory(1)).isInstanceOf(UcxClosedException.class)
                    .hasMessageContaining("these resources");
            return worker;
        }).block(Waits.PATIENCE);

        Waits.get(end);
        assertThat(closing.context().isClosed()).isTrue();
    }

    @Test
    void everyQuestionIsAnsweredAfterTheEnd() throws IllegalAccessException {
        List<Object> ended = new ArrayList<>();
        try (Peers peers = Peers.connect(Route.POSIX_BY_SOCKET_ADDRESS)) {
            BadInput.Tried used = new BadInput.Tried(peers);
            ActiveMessage message = used.offer();
            message.discard();
            ended.addAll(List.of(peers.client(), peers.client().activeMessages(), peers.client().tags(), used.window,
                    message,
                    used.served, used.servedWindow, used.servedWindow.descriptor(),
                    peers.server(), peers.clientResources(), peers.clientResources().buffers()));
            used.close();
        }
        int asked = 0;
        for (Object object : ended) {
            for (Method method : apiOf(object.getClass())) {
                if (method.getParameterCount() == 0 && !Modifier.isStatic(method.getModifiers())) {
                    asked++;
                    ask(object, method);
                }
            }
        }
        assertThat(asked).isGreaterThan(40);
    }

    private static void ask(Object object, Method method) throws IllegalAccessException {
        try {
            Object answer = method.invoke(object);
            if (answer instanceof Publisher<?> publisher) {
                // It ends, however it ends: what must not be is that somebody waits for a thing that is gone.
                CompletableFuture<?> end = Flux.from(publisher).then().toFuture();
                await().atMost(Waits.PATIENCE).until(end::isDone);
            }
        } catch (InvocationTargetException e) {
            assertThat(e.getCause()).as(method.toString()).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("fetch");
        }
    }
}
