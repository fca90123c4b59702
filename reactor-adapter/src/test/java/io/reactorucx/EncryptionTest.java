package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.memory.MemoryPath;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.memory.UcxMemoryWindow;
import io.reactorucx.metrics.UcxMetrics;
import io.reactorucx.security.EncryptionCipher;
import io.reactorucx.security.EncryptionConfig;
import io.reactorucx.security.EncryptionMode;
import io.reactorucx.security.TlsConfig;
import io.reactorucx.transport.EncryptionStatistics;
import io.reactorucx.transport.metrics.UcxMeters;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** When data is encrypted, what is refused then, and what is counted. Contracts are checked over encrypted routes. */
class EncryptionTest extends SecuredPeers {

    private static final int MIB = 1 << 20;

    private void over(String... transports) {
        clientResources.disposeNow();
        serverResources.disposeNow();
        serverResources = resources(transports);
        clientResources = resources(transports);
    }

    private static UcxResources resources(String... transports) {
        return UcxResources.builder().transports(transports).remoteMemoryAccess(true).remoteAtomics(true)
                .streams(true).build();
    }

    private UcxConnection connect(UnaryOperator<EncryptionConfig> ofServer, UnaryOperator<EncryptionConfig> ofClient) {
        UcxBoundServer server = bind(with(ofServer(), ofServer));
        return to(server).secure(with(ofClient(), ofClient)).connectNow();
    }

    private static TlsConfig with(TlsConfig tls, UnaryOperator<EncryptionConfig> change) {
        return tls.withEncryption(change.apply(tls.encryption()));
    }

    private static UnaryOperator<EncryptionConfig> mode(EncryptionMode mode) {
        return config -> config.withMode(mode);
    }

    private EncryptionStatistics statistics() {
        return clientResources.encryptionStatistics().stream().reduce(EncryptionStatistics.NONE,
                EncryptionStatistics::plus);
    }

    /** The stronger wish of both counts; within a host NETWORK leaves data clear. */
    @ParameterizedTest
    @CsvSource({
        "tcp, OFF, OFF, false", "tcp, NETWORK, NETWORK, true", "tcp, REQUIRED, NETWORK, true",
        "posix, NETWORK, NETWORK, false", "posix, NETWORK, REQUIRED, true", "posix, REQUIRED, NETWORK, true"})
    void modesOfBothSidesCount(String transport, EncryptionMode ofServer, EncryptionMode ofClient, boolean encrypted) {
        if (transport.equals("tcp")) {
            over("tcp");
        }
        UcxConnection client = connect(mode(ofServer), mode(ofClient));

        assertResponds(client);
        assertThat(client.isEncrypted()).isEqualTo(encrypted);
        assertThat(served().isEncrypted()).isEqualTo(encrypted);
        assertThat(statistics().encryptedConnections()).isEqualTo(encrypted ? 1 : 0);
        assertThat(statistics().sealedRecords() > 0).isEqualTo(encrypted);
        assertThat(statistics().openedRecords() > 0).isEqualTo(encrypted);
    }

    @ParameterizedTest
    @EnumSource(value = EncryptionMode.class, names = "OFF", mode = EnumSource.Mode.EXCLUDE)
    void modeOffIsRefusedByTheOthers(EncryptionMode other) {
        UcxBoundServer server = bind(ofServer().withEncryption(other));
        String why = "encryption of data: OFF at the client, " + other + " at the server";

        assertRejected(server, to(server).secure(ofClient().withEncryption(EncryptionMode.OFF)), why, why);

        UcxBoundServer without = bind(ofServer().withEncryption(EncryptionMode.OFF));
        String whyNot = "encryption of data: " + other + " at the client, OFF at the server";
        assertRejected(without, to(without).secure(ofClient().withEncryption(other)), whyNot, whyNot);
    }

    @ParameterizedTest
    @EnumSource(EncryptionCipher.class)
    void cipherIsThatOfTheServer(EncryptionCipher cipher) {
        over("tcp");
        UcxConnection client = connect(config -> config.withCipher(cipher),
                config -> config.withCipher(EncryptionCipher.AES_256_GCM));

        assertResponds(client);
        byte[] large = pattern(MIB);
        assertThat(client.requester().requestResponse(large).block(Waits.PATIENCE)).isEqualTo(large);
    }

    private static byte[] pattern(int bytes) {
        byte[] pattern = new byte[bytes];
        new Random(bytes).nextBytes(pattern);
        return pattern;
    }

    /** Keys change amid small and large messages, at the lowest limits that there are. */
    @ParameterizedTest
    @ValueSource(strings = {"tcp", "posix,tcp"})
    void keysChangeUnderLoad(String transports) {
        over(transports.split(","));
        UnaryOperator<EncryptionConfig> shortly = config -> config.withMode(EncryptionMode.REQUIRED)
                .withKeyLimits(1024, 1 << 26);
        UcxConnection client = connect(shortly, shortly);
        byte[] large = pattern(MIB + 17);

        List<byte[]> answers = Flux.range(0, 4000).flatMap(i -> {
            byte[] question = i % 40 == 0 ? large : pattern(i % 100);
            return client.requester().requestResponse(question).doOnNext(answer ->
                    assertThat(answer).isEqualTo(question));
        }, 32).collectList().block(Waits.PATIENCE.multipliedBy(3));

        assertThat(answers).hasSize(4000);
        assertThat(statistics().sealedRecords()).isGreaterThan(1024);
        // Those of large messages have the other limit.
        assertThat(statistics().sealedBytes()).isGreaterThan(1L << 26);
    }

    @Test
    void rawOperationsAreRefusedByName() {
        over("tcp");
        UcxConnection client = connect(UnaryOperator.identity(), UnaryOperator.identity());
        MemorySegment memory = Arena.ofAuto().allocate(64);

        assertRefused("tag_send", client.tags().send(1, memory));
        assertRefused("tag_send_sync", client.tags().sendSync(1, memory));
        assertRefused("tag_recv", client.tags().receive(1, memory));
        assertRefused("stream_send", client.streams().send(memory));
        assertRefused("stream_recv", client.streams().receive().then());
        RemoteMemory remote = client.memory(serverResources.allocateMemory(64).descriptor());
        assertRefused("get", remote.get(0, memory));
        assertRefused("get", remote.put(0, memory));
        remote.close();
        assertResponds(client);
    }

    private static void assertRefused(String operation, Mono<?> refused) {
        assertThatThrownBy(() -> refused.block(Waits.PATIENCE)).isInstanceOf(UcxUnsupportedException.class)
                .hasMessageStartingWith(operation + ":").hasMessageContaining("withRawOperationsAllowed");
    }

    @Test
    void rawOperationsCanBeAllowed() {
        over("tcp");
        UcxConnection client = connect(UnaryOperator.identity(), config -> config.withRawOperationsAllowed(true));
        MemorySegment memory = Arena.ofAuto().allocate(64);

        client.tags().send(1, memory).block(Waits.PATIENCE);
        RemoteMemory remote = client.memory(serverResources.allocateMemory(64).descriptor());
        remote.get(0, memory).block(Waits.PATIENCE);
        remote.close();
        assertRefused("tag_recv", served().tags().receive(1, memory));
    }

    @Test
    void servedMemoryGoesOnAsRecords() {
        over("posix", "tcp");
        UcxConnection client = connect(mode(EncryptionMode.REQUIRED), mode(EncryptionMode.REQUIRED));
        UcxMemoryWindow window = serverResources.exportMemory(serverResources.allocateMemory(MIB),
                EnumSet.allOf(MemoryRight.class));
        RemoteMemory remote = client.memory(window.descriptor());
        MemorySegment bytes = Arena.ofAuto().allocate(MIB);
        bytes.copyFrom(MemorySegment.ofArray(pattern(MIB)));
        remote.put(0, bytes).block(Waits.PATIENCE);
        MemorySegment back = remote.get(0, Arena.ofAuto().allocate(MIB)).block(Waits.PATIENCE);

        assertThat(back.mismatch(bytes)).isEqualTo(-1);
        assertThat(remote.path().block(Waits.PATIENCE)).isEqualTo(MemoryPath.SERVED);
        assertThatThrownBy(() -> client.memory(window.descriptor(), MemoryPath.ONE_SIDED))
                .hasMessageContaining("the connection must not be encrypted");
        assertThat(statistics().sealedBytes()).isGreaterThan(MIB);
        assertThat(statistics().openedBytes()).isGreaterThan(MIB);
        remote.close();
        window.revoke().block(Waits.PATIENCE);
    }

    /** Many at once, of which the last part is short, and one whose tags do not fit a header. */
    @Test
    void largeMessagesComeBackAsTheyWere() {
        over("tcp");
        UcxConnection client = connect(UnaryOperator.identity(), UnaryOperator.identity());
        byte[] large = pattern(4 * MIB + 5);

        List<byte[]> answers = Flux.range(0, 32).flatMap(i -> client.requester().requestResponse(large), 8)
                .collectList().block(Waits.PATIENCE);
        assertThat(answers).hasSize(32).allSatisfy(answer -> assertThat(answer).isEqualTo(large));

        MemorySegment largest = Arena.ofAuto().allocate(48 * MIB + 5);
        largest.copyFrom(MemorySegment.ofArray(pattern(48 * MIB + 5)));
        Inbox inbox = Inbox.of(served(), 7);
        CompletableFuture<Void> sent = client.activeMessages().send(7, largest).toFuture();
        UcxBuffer fetched = inbox.next().fetch(serverResources.buffers()).block(Waits.PATIENCE);
        assertThat(fetched.segment().mismatch(largest)).isEqualTo(-1);
        fetched.release();
        sent.orTimeout(20, TimeUnit.SECONDS).join();
        assertThat(statistics().memoryBytes()).isPositive();
    }

    @Test
    void metersShowWhatIsCounted() {
        over("tcp");
        UcxConnection client = connect(UnaryOperator.identity(), UnaryOperator.identity());
        byte[] large = pattern(MIB);
        assertThat(client.requester().requestResponse(large).block(Waits.PATIENCE)).isEqualTo(large);
        // They go one way, so that the two directions differ.
        for (int i = 0; i < 20; i++) {
            client.activeMessages().send(7, new byte[100]).block(Waits.PATIENCE);
        }
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        new UcxMetrics(clientResources).bindTo(registry);

        Waits.soon().untilAsserted(() -> {
            EncryptionStatistics now = statistics();
            assertThat(now.sealedRecords()).isGreaterThan(now.openedRecords());
            assertThat(now.sealedBytes()).isGreaterThan(now.openedBytes());
            assertThat(counted(registry, UcxMeters.ENCRYPTED_CONNECTIONS)).isEqualTo(1);
            assertThat(counted(registry, UcxMeters.BROKEN_ENCRYPTION)).isZero();
            assertThat(counted(registry, UcxMeters.SEALED_RECORDS)).isEqualTo(now.sealedRecords());
            assertThat(counted(registry, UcxMeters.SEALED_BYTES)).isEqualTo(now.sealedBytes());
            assertThat(counted(registry, UcxMeters.OPENED_RECORDS)).isEqualTo(now.openedRecords());
            assertThat(counted(registry, UcxMeters.OPENED_BYTES)).isEqualTo(now.openedBytes());
            assertThat(registry.get(UcxMeters.ENCRYPTION_MEMORY.getName()).gauge().value())
                    .isEqualTo(now.memoryBytes()).isPositive();
        });
    }

    private static double counted(SimpleMeterRegistry registry, UcxMeters meter) {
        return registry.get(meter.getName()).functionCounter().count();
    }

    /** Offers that nobody has fetched hold the data of others, which the end of an engine releases as well. */
    @Test
    void resourcesEndWithOffersThatNobodyFetched() {
        over("tcp");
        UcxConnection client = connect(UnaryOperator.identity(), UnaryOperator.identity());
        Inbox inbox = Inbox.of(served(), 7);
        client.activeMessages().send(7, pattern(MIB)).subscribe(ignored -> { }, error -> { });
        client.activeMessages().send(7, pattern(MIB)).subscribe(ignored -> { }, error -> { });
        inbox.next();
        inbox.next();

        serverResources.disposeNow();

        assertThat(serverResources.context().isClosed()).isTrue();
    }
}
