package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.memory.MemoryPath;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.memory.UcxMemoryWindow;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.message.TaggedMessage;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/**
 * One wrong use of one public method.
 *
 * @param method its signature, as {@link #signature} writes it
 * @param what what is wrong
 * @param signal how the caller hears of it
 * @param type the exception
 * @param parts what its message has to contain: argument, value, rule
 * @param call the use; gives the publisher where the signal is {@link Signal#ON_ERROR}
 */
record BadInput(String method, String what, Signal signal, Class<? extends Throwable> type, String[] parts,
        Function<Tried, Object> call) {

    /** How a caller hears of what is wrong. */
    enum Signal {
        /** The call throws, before anything is subscribed to. */
        THROWN,
        /** The call gives a publisher, which ends with the error. */
        ON_ERROR
    }

    static BadInput thrown(String method, String what, Class<? extends Throwable> type, Function<Tried, Object> call,
            String... parts) {
        return new BadInput(method, what, Signal.THROWN, type, parts, call);
    }

    static BadInput onError(String method, String what, Class<? extends Throwable> type, Function<Tried,
            Publisher<?>> call,
            String... parts) {
        return new BadInput(method, what, Signal.ON_ERROR, type, parts, call::apply);
    }

    void check(Tried tried) {
        Object[] given = new Object[1];
        Throwable thrown = catchThrowable(() -> given[0] = call.apply(tried));
        if (signal == Signal.ON_ERROR) {
            assertThat(thrown).as("%s, thrown by the call", this).isNull();
            thrown = Waits.failure(Flux.from((Publisher<?>) given[0]).then().toFuture());
        }
        assertThat(thrown).as(toString()).isInstanceOf(type).hasMessageContainingAll(parts);
    }

    static String signature(Class<?> type, String name, Class<?>... parameters) {
        return type.getSimpleName() + "." + name
                + Arrays.stream(parameters).map(Class::getSimpleName).collect(Collectors.joining(",", "(", ")"));
    }

    @Override
    public String toString() {
        return method + " " + what;
    }

    /** What is tried: a connection that works, and things that do not. */
    static final class Tried implements AutoCloseable {

        static final int ID = 21;
        static final long WINDOW_BYTES = 1000;
        static final int OFFER_BYTES = 50_000;

        final Peers peers;
        final MemorySegment good = Bytes.pattern(1, 16);
        final MemorySegment heap = MemorySegment.ofArray(new byte[16]);
        final MemorySegment closed;
        final MemorySegment largeClosed;
        final MemorySegment ofAnotherThread;
        final MemorySegment largeOfAnotherThread;
        /** Of an arena that Java could close while UCX uses it. */
        final MemorySegment closeable;
        final MemorySegment largeCloseable;
        final UcxBuffer released;
        final UcxBuffer foreign;
        final RemoteMemory window;
        final RemoteMemory closedWindow;
        final Inbox inbox;
        private final Arena ownArena = Arena.ofConfined();
        private final Arena sharedArena = Arena.ofShared();
        final UcpMemory registered;
        final UcxMemoryWindow servedWindow;
        final RemoteMemory served;
        private final UcpMemory exported;
        private ActiveMessage offer;
        private PendingOperation offered;

        Tried(Peers peers) {
            this.peers = peers;
            try (Arena arena = Arena.ofConfined()) {
                closed = arena.allocate(16);
                largeClosed = arena.allocate(OFFER_BYTES);
            }
            // This thread's, and not the engine's, which posts.
            ofAnotherThread = ownArena.allocate(16);
            largeOfAnotherThread = ownArena.allocate(OFFER_BYTES);
            closeable = sharedArena.allocate(WINDOW_BYTES);
            largeCloseable = sharedArena.allocate(OFFER_BYTES);
            released = peers.clientResources().buffers().acquire(16);
            released.release();
            foreign = peers.serverResources().buffers().acquire(16);
            exported = peers.serverResources().allocateMemory(WINDOW_BYTES);
            window = peers.client().memory(exported.descriptor());
            closedWindow = peers.client().memory(exported.descriptor());
            closedWindow.close();
            registered = peers.serverResources().allocateMemory(WINDOW_BYTES);
            servedWindow = peers.serverResources().exportMemory(registered, EnumSet.allOf(MemoryRight.class));
            served = peers.client().memory(servedWindow.descriptor(), MemoryPath.SERVED);
            inbox = Inbox.of(peers.served(), ID);
        }

        UcxConnection connection() {
            return peers.client();
        }

        ActiveMessages messages() {
            return peers.client().activeMessages();
        }

        Tags tags() {
            return peers.client().tags();
        }

        UcxResources resources() {
            return peers.clientResources();
        }

        UcxClient client() {
            return peers.unconnected();
        }

        UcxServer server() {
            return UcxServer.create(peers.clientResources());
        }

        /** A rendezvous that waits to be fetched on the server's side. */
        ActiveMessage offer() {
            offered = PendingOperation.of(messages().send(ID, MemorySegment.NULL, Bytes.pattern(2, OFFER_BYTES),
                    AmProtocol.RENDEZVOUS));
            offer = inbox.next();
            return offer;
        }

        /** What was offered can still be had, and the connection goes on. */
        void assertUnharmed() {
            if (offer != null) {
                Bytes.assertSame(Bytes.of(offer), Bytes.pattern(2, OFFER_BYTES));
                offered.assertDone();
                offer = null;
            }
            assertThat(inbox.size()).as("messages that were sent nevertheless").isZero();
            peers.assertWorks();
            MemorySegment got = Bytes.zeroed(WINDOW_BYTES);
            window.put(0, Bytes.pattern(3, WINDOW_BYTES)).then(window.flush()).then(window.get(0, got))
                    .block(Waits.PATIENCE);
            Bytes.assertSame(got, Bytes.pattern(3, WINDOW_BYTES));
            served.put(0, Bytes.pattern(4, WINDOW_BYTES)).then(served.get(0, got)).block(Waits.PATIENCE);
            Bytes.assertSame(got, Bytes.pattern(4, WINDOW_BYTES));
            CompletableFuture<TaggedMessage> tagged = peers.served().tags().receive(5, Bytes.zeroed(16)).toFuture();
            tags().send(5, good).block(Waits.PATIENCE);
            Bytes.assertSame(Waits.get(tagged).data(), good);
        }

        @Override
        public void close() {
            inbox.cancel();
            window.close();
            served.close();
            servedWindow.revoke().block(Waits.PATIENCE);
            registered.close();
            Waits.engineOf(connection());
            exported.close();
            foreign.release();
            ownArena.close();
            sharedArena.close();
        }
    }
}
