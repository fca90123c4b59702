package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.security.EncryptionMode;
import io.reactorucx.transport.DropReason;
import io.reactorucx.transport.EncryptionStatistics;
import io.reactorucx.transport.carrier.TamperingLayer;
import io.reactorucx.transport.frame.ReservedMessageIds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

/** What is done to encrypted frames on their way, and what both sides are told of it. */
class EncryptionHostileTest extends SecuredPeers {

    private static final int TOKEN_BYTES = Long.BYTES;
    private static final byte[] QUESTION = {4, 2};

    private final AtomicReference<Function<byte[], List<byte[]>>> ofMessages = new AtomicReference<>(List::of);
    private final AtomicReference<Function<byte[], byte[]>> ofData = new AtomicReference<>(bytes -> bytes);
    private UcxBoundServer server;
    private UcxConnection client;
    private UcxConnection served;

    @BeforeEach
    void connect() {
        clientResources.disposeNow();
        serverResources.disposeNow();
        serverResources = UcxResources.builder().transports("tcp").streams(true).build();
        clientResources = UcxResources.builder().transports("tcp").streams(true).build();
        clientResources.connecting().connections().forEach(engine -> TamperingLayer.below(engine.layers(),
                frame -> ofMessages.get().apply(frame), data -> ofData.get().apply(data)));
        server = server().heartbeatInterval(Duration.ofMillis(500))
                .secure(ofServer().withEncryption(EncryptionMode.REQUIRED)).bindNow();
        client = unbroken();
        served = served();
    }

    private UcxConnection unbroken() {
        UcxConnection made = to(server).secure(ofClient().withEncryption(EncryptionMode.REQUIRED)).connectNow();
        assertResponds(made);
        return made;
    }

    private CompletableFuture<byte[]> ask(byte[] question) {
        return client.requester().requestResponse(question).toFuture();
    }

    /** Both sides lose the connection for that reason, and another one is made as if nothing had happened. */
    private void assertBroken(String reason) {
        Waits.soon().untilAsserted(() -> {
            assertThat(client.isDisposed()).as("the client's side has ended").isTrue();
            assertThat(served.isDisposed()).as("the server's side has ended").isTrue();
        });
        assertThat(lossOf(served)).hasMessageContaining(reason);
        assertThat(lossOf(client)).hasMessageContaining("the peer has ended the connection").hasMessageContaining(
                reason);
        EncryptionStatistics statistics = serverResources.encryptionStatistics().stream()
                .reduce(EncryptionStatistics.NONE, EncryptionStatistics::plus);
        assertThat(statistics.brokenConnections()).isEqualTo(1);
        ofMessages.set(List::of);
        ofData.set(bytes -> bytes);
        unbroken();
    }

    private static UcxException lossOf(UcxConnection connection) {
        UcxException loss = (UcxException) Waits.failure(connection.inbound().receive().collectList().toFuture());
        assertThat(loss.status()).isEqualTo(UcxStatus.IO_ERROR);
        return loss;
    }

    /** Any bit behind the token: that only finds the connection, and a frame for none is dropped. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void changedBitEndsTheConnection(long seed) {
        Random random = new Random(seed);
        ofMessages.set(frame -> {
            byte[] changed = frame.clone();
            int bit = TOKEN_BYTES * Byte.SIZE + random.nextInt((frame.length - TOKEN_BYTES) * Byte.SIZE);
            changed[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            return List.of(changed);
        });
        CompletableFuture<byte[]> answer = ask(QUESTION);

        assertBroken("record");
        assertThat(answer).isCompletedExceptionally();
    }

    @Test
    void repeatedRecordEndsTheConnection() {
        AtomicInteger sent = new AtomicInteger();
        ofMessages.set(frame -> sent.incrementAndGet() == 1 ? List.of(frame, frame) : List.of(frame));
        ask(QUESTION);

        assertBroken("where");
    }

    /** A record that was sent long before. */
    @Test
    void oldRecordEndsTheConnection() {
        AtomicReference<byte[]> old = new AtomicReference<>();
        ofMessages.set(frame -> {
            old.compareAndSet(null, frame);
            return List.of(frame);
        });
        for (int i = 0; i < 3000; i++) {
            assertThat(ask(QUESTION).join()).isEqualTo(QUESTION);
        }
        ofMessages.set(frame -> List.of(old.get()));
        ask(QUESTION);

        assertBroken("where");
    }

    @Test
    void recordThatIsLeftOutEndsTheConnection() {
        AtomicInteger sent = new AtomicInteger();
        ofMessages.set(frame -> sent.incrementAndGet() == 5 ? List.of() : List.of(frame));
        List<CompletableFuture<byte[]>> answers = IntStream.range(0, 100).mapToObj(i -> ask(QUESTION)).toList();

        assertBroken("was left out");
        assertThat(answers).anySatisfy(answer -> assertThat(answer).isCompletedExceptionally());
    }

    /** Where UCX keeps no order, messages have numbers of their own: what is swapped is put in order. */
    @Test
    void swappedRecordsAreDeliveredInOrder() {
        List<byte[]> held = new ArrayList<>();
        ofMessages.set(frame -> {
            held.add(frame);
            if (held.size() < 2) {
                return List.of();
            }
            List<byte[]> swapped = List.copyOf(held).reversed();
            held.clear();
            return swapped;
        });
        CompletableFuture<List<byte[]>> received = served.inbound().receiveByteArrays().take(1000).collectList()
                .toFuture();
        client.outbound().sendByteArrays(Flux.range(0, 1001).map(i -> new byte[] {i.byteValue(), (byte) (i >> 8)}))
                .subscribe(ignored -> { }, error -> { });

        // Each one more releases the one that is held.
        Waits.soon().until(() -> {
            ask(QUESTION);
            return received.isDone();
        });
        List<byte[]> all = received.join();
        for (int i = 0; i < 1000; i++) {
            assertThat(all.get(i)).containsExactly(i, i >> 8);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 65_535, 65_536, 300_000, (1 << 20) - 1})
    void changedByteOfALargeMessageEndsTheConnection(int place) {
        ofData.set(data -> {
            byte[] changed = data.clone();
            changed[place] ^= 1;
            return changed;
        });
        CompletableFuture<byte[]> answer = ask(new byte[1 << 20]);

        assertBroken("was changed");
        assertThat(answer).isCompletedExceptionally();
        Waits.soon().untilAsserted(() -> assertThat(serverResources.buffers().leases()).isZero());
    }

    @ParameterizedTest
    @ValueSource(ints = {ReservedMessageIds.MESSAGES, ReservedMessageIds.MEMORY, ReservedMessageIds.APPLICATION,
        ReservedMessageIds.CONTROL, ReservedMessageIds.CHANNELS, ReservedMessageIds.MAPPED})
    void clearFrameEndsTheConnection(int reservedId) {
        RawFrames.send(clientResources, reservedId, new byte[40]);

        assertBroken("was not encrypted");
    }

    /** With the right token, which everybody on the way can read. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8, 9, 24, 33, 100, 65_000})
    void strangeRecordEndsTheConnection(int bytes) {
        byte[] strange = new byte[bytes];
        new Random(bytes).nextBytes(strange);
        ofMessages.set(frame -> {
            byte[] sent = Arrays.copyOf(frame, TOKEN_BYTES + bytes);
            System.arraycopy(strange, 0, sent, TOKEN_BYTES, bytes);
            return List.of(sent);
        });
        ask(QUESTION);

        assertBroken("record");
    }

    /** A frame for no connection of the receiver is dropped; what it carried is missed. */
    @Test
    void wrongTokenIsDropped() {
        AtomicInteger sent = new AtomicInteger();
        ofMessages.set(frame -> {
            byte[] changed = frame.clone();
            if (sent.incrementAndGet() == 1) {
                changed[0] ^= 1;
            }
            return List.of(changed);
        });
        IntStream.range(0, 10).forEach(i -> ask(QUESTION));

        assertBroken("was left out");
        assertThat(serverResources.droppedMessages(DropReason.WRONG_TOKEN)).isPositive();
    }
}
