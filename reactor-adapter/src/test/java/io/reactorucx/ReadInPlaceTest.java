package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.command.ApplicationException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Signal;

/** A function that reads the data of an active message where the sender has written it. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class ReadInPlaceTest implements NeedsUcx {

    private static final int ID = 7;
    private static final MemorySegment HEADER = MemorySegment.ofArray(new byte[] {9, 8, 7});
    private static final int LARGE = 100_000;

    private Peers peers;
    private Inbox inbox;

    @BeforeEach
    void connect() {
        peers = Peers.connect(Route.POSIX_BY_SOCKET_ADDRESS);
        inbox = Inbox.of(peers.served(), ID);
        for (int i = 0; clientPool().offeredMessages() == 0; i++) {
            assertThat(i).as("messages before the peer has mapped the slab").isLessThan(1000);
            PendingOperation sent = send(i, LARGE, AmProtocol.RENDEZVOUS);
            Bytes.of(inbox.next());
            sent.assertDone();
        }
    }

    @AfterEach
    void close() {
        if (peers != null) {
            await().atMost(Waits.PATIENCE).until(() -> clientPool().leases() + serverPool().leases() == 0);
            peers.close();
            assertThat(serverPool().mappedBytes()).as("mapped by the server").isZero();
        }
    }

    private UcxBufferPool clientPool() {
        return peers.clientResources().buffers();
    }

    private UcxBufferPool serverPool() {
        return peers.serverResources().buffers();
    }

    private PendingOperation send(int seed, long bytes, AmProtocol protocol) {
        UcxBuffer lease = clientPool().acquire(bytes);
        try {
            Bytes.fill(lease.segment(), seed);
            return PendingOperation.of(peers.client().activeMessages().send(ID, HEADER, lease, protocol));
        } finally {
            lease.release();
        }
    }

    private <T> T read(ActiveMessage message, Function<MemorySegment, T> reader) {
        return message.read(serverPool(), reader).block(Waits.PATIENCE);
    }

    @Test
    void readsWhatTheSenderHasWrittenWithoutACopy() {
        long copied = serverPool().copiedMessages();
        long offered = clientPool().offeredMessages();
        for (int seed = 1; seed <= 3; seed++) {
            PendingOperation sent = send(seed, LARGE, AmProtocol.RENDEZVOUS);
            ActiveMessage message = inbox.next();
            MemorySegment expected = Bytes.pattern(seed, LARGE);

            boolean same = read(message, data -> data.isReadOnly() && data.mismatch(expected) == -1);

            assertThat(same).isTrue();
            sent.assertDone();
            assertThat(message.isDisposed()).isTrue();
        }
        assertThat(clientPool().offeredMessages()).isEqualTo(offered + 3);
        assertThat(serverPool().copiedMessages()).isEqualTo(copied);
        assertThat(serverPool().leases()).isZero();
    }

    /** Small data is in the message, eager data with UCX, and data of a rendezvous of UCX is moved. */
    @ParameterizedTest
    @EnumSource(names = {"EAGER", "RENDEZVOUS"})
    void readsWhatComesOverUcx(AmProtocol protocol) {
        int[] sizes = {0, 8, 100, 4096, LARGE};
        for (int size : sizes) {
            MemorySegment bytes = Bytes.pattern(size, size);
            PendingOperation sent = PendingOperation.of(peers.client().activeMessages().send(ID, HEADER, bytes,
                    protocol));

            long difference = read(inbox.next(), data -> data.mismatch(bytes));

            assertThat(difference).as("%d bytes", size).isEqualTo(-1);
            sent.assertDone();
        }
    }

    @Test
    void readerThatThrowsGivesTheDataBack() {
        PendingOperation sent = send(1, LARGE, AmProtocol.RENDEZVOUS);
        ActiveMessage message = inbox.next();

        assertThatThrownBy(() -> read(message, data -> {
            throw new IllegalArgumentException("no such thing");
        })).isInstanceOf(IllegalArgumentException.class).hasMessage("no such thing");

        sent.assertDone();
        assertThat(message.isDisposed()).isTrue();
        assertThatThrownBy(() -> read(message, MemorySegment::byteSize)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("fetched or discarded before");
    }

    /** Also what a function cannot declare, and what Reactor does not signal. */
    @Test
    void subscriberGetsWhatTheReaderThrows() {
        Throwable[] thrown = {new IOException("checked"), new AssertionError("an error"), new StackOverflowError()};
        for (Throwable each : thrown) {
            PendingOperation sent = send(1, LARGE, AmProtocol.RENDEZVOUS);
            ActiveMessage message = inbox.next();

            Throwable seen = message.read(serverPool(), data -> ReadInPlaceTest.<RuntimeException>raise(each))
                    .materialize().map(Signal::getThrowable).block(Waits.PATIENCE);

            assertThat(seen instanceof ApplicationException wrapped ? wrapped.thrown() : seen).isSameAs(each);
            sent.assertDone();
            assertThat(message.isDisposed()).isTrue();
        }
    }

    @SuppressWarnings("unchecked") // as the code of other languages, and of generators, throws checked exceptions
    private static <T extends Throwable> Object raise(Throwable thrown) throws T {
        throw (T) thrown;
    }

    @Test
    void readerWithoutAValueCompletes() {
        PendingOperation sent = send(1, LARGE, AmProtocol.RENDEZVOUS);
        assertThat(this.<Object>read(inbox.next(), data -> null)).isNull();
        sent.assertDone();
    }

    /** It has the scope of the call, and no way into UCX, which would use it longer. */
    @Test
    void keptMemoryEndsWithTheCall() {
        PendingOperation sent = send(1, LARGE, AmProtocol.RENDEZVOUS);
        AtomicReference<MemorySegment> kept = new AtomicReference<>();

        PendingOperation sentOn = read(inbox.next(), data -> {
            kept.set(data);
            return PendingOperation.of(peers.served().activeMessages().send(ID, HEADER, data, AmProtocol.AUTO));
        });

        sent.assertDone();
        assertThat(sentOn.hasFailed()).as("a send of the memory").isTrue();
        assertThatThrownBy(() -> kept.get().get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(RuntimeException.class);
        assertThat(kept.get().scope().isAlive()).isFalse();
    }

    /** The memory of the lease to which data was moved is somebody else's afterwards. */
    @Test
    void keptMemoryOfALeaseEndsWithTheCall() {
        PendingOperation sent = PendingOperation.of(peers.client().activeMessages().send(ID, HEADER,
                Bytes.pattern(1, LARGE), AmProtocol.RENDEZVOUS));
        AtomicReference<MemorySegment> kept = new AtomicReference<>();
        AtomicReference<Throwable> ofOtherThread = new AtomicReference<>();
        AtomicInteger leases = new AtomicInteger();

        Throwable afterwards = inbox.next().read(serverPool(), data -> {
            leases.set(serverPool().leases());
            kept.set(data);
            ofOtherThread.set(CompletableFuture.supplyAsync(() -> failedAccess(data)).join());
            return data.get(ValueLayout.JAVA_BYTE, 0);
        }).map(value -> failedAccess(kept.get())).block(Waits.PATIENCE);

        sent.assertDone();
        assertThat(leases).hasValue(1);
        assertThat(ofOtherThread.get()).isInstanceOf(WrongThreadException.class);
        assertThat(afterwards).isInstanceOf(IllegalStateException.class);
    }

    private static Throwable failedAccess(MemorySegment memory) {
        return catchThrowable(() -> memory.get(ValueLayout.JAVA_BYTE, 0));
    }

    /** The sender's memory is somebody else's while it is read. */
    @Test
    void readOfWhatTheSenderHasGivenUpFails() {
        PendingOperation sent = send(1, LARGE, AmProtocol.RENDEZVOUS);
        ActiveMessage message = inbox.next();

        assertThatThrownBy(() -> read(message, data -> {
            peers.client().close(CloseMode.FORCE).subscribe();
            await().atMost(Waits.PATIENCE).until(() -> clientPool().leases() == 0);
            return data.byteSize();
        })).isInstanceOfSatisfying(UcxException.class,
                error -> assertThat(error.status()).isEqualTo(UcxStatus.CONNECTION_RESET));

        assertThat(sent.hasFailed()).isTrue();
    }
}
