package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.core.internal.NativeEnvironment;
import io.reactorucx.testsupport.NoLeaks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Settings arrive in UCX by each of its ways, and the environment is restored afterwards. */
@ExtendWith(NoLeaks.class)
class SettingsTest {

    @BeforeEach
    void requireUcx() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
    }

    @ParameterizedTest
    @CsvSource({"RNDV_THRESH, junk", "KEEPALIVE_INTERVAL, yesterday"})
    void namesSettingWithJunkValue(String key, String value) {
        assertThatThrownBy(() -> UcpContext.create(UcpConfig.builder().transports("tcp").setting(key, value).build()))
                .isInstanceOf(UcxException.class).hasMessageContaining("setting " + key + "=" + value);
    }

    /** UCX 1.13.1 overwrites its stack with these settings and two kinds of transport. */
    @Test
    void refusesNewProtocolsBeforeTheyAreTheDefault() {
        assumeTrue(!Ucx.version().isAtLeast(1, 16), "they are the default");
        UcpConfig plain = UcpConfig.builder().transports("posix", "tcp").build();
        UcpConfig set = UcpConfig.builder().transports("posix", "tcp").setting("PROTO_ENABLE", "y").build();

        assertThatThrownBy(() -> UcpContext.create(set)).isInstanceOf(UcxUnsupportedException.class)
                .hasMessageContaining("PROTO_ENABLE=y");
        assertThatThrownBy(() -> NativeEnvironment.with(Map.of("UCX_PROTO_ENABLE", "yes"),
                () -> UcpContext.create(plain))).isInstanceOf(UcxUnsupportedException.class)
                .hasMessageContaining("PROTO_ENABLE=yes");
    }

    @ParameterizedTest
    @ValueSource(strings = {"posix", "sysv"})
    void saysThatThereAreNoHugePages(String transport) throws IOException {
        assumeTrue(Files.readString(Path.of("/proc/meminfo")).contains("HugePages_Free:        0"),
                "there are huge pages");
        String setting = transport.toUpperCase(Locale.ROOT) + "_HUGETLB_MODE";
        UcpConfig config = UcpConfig.builder().transports(transport, "tcp").setting(setting, "y").build();
        try (UcpContext context = UcpContext.create(config)) {
            assertThatThrownBy(() -> context.createWorker(UcpWorkerConfig.of("x"))).isInstanceOf(UcxException.class)
                    .hasMessageContaining(setting + "=y").hasMessageContaining("vm.nr_hugepages");
        }
    }

    private static List<String> transports(String posixErrorHandling) {
        UcpConfig config = UcpConfig.builder().transports("posix", "tcp")
                .setting("POSIX_ERROR_HANDLING", posixErrorHandling).build();
        try (UcpContext context = UcpContext.create(config);
                UcpWorker worker = context.createWorker(UcpWorkerConfig.of("x"))) {
            EndpointOptions options = new EndpointOptions(ErrorMode.PEER, "itself", (endpoint, status) -> { });
            UcpEndpoint endpoint = worker.connect(worker.address(), options);
            List<String> transports = endpoint.transports();
            Outcome closed = Outcome.of(done -> endpoint.close(CloseMode.FORCE, done));
            Pair.until(worker::progress, closed::isDone, "a closed endpoint");
            return transports;
        }
    }

    @Test
    void appliesSettingsOfTransportsAndRestoresEnvironment() {
        Optional<String> before = NativeEnvironment.get("UCX_POSIX_ERROR_HANDLING");
        assertThat(transports("y")).anyMatch(name -> name.startsWith("posix/"));
        assertThat(NativeEnvironment.get("UCX_POSIX_ERROR_HANDLING")).isEqualTo(before);
        assertThat(transports("n")).noneMatch(name -> name.startsWith("posix/"))
                .anyMatch(name -> name.startsWith("tcp/"));
        assertThat(NativeEnvironment.get("UCX_POSIX_ERROR_HANDLING")).isEqualTo(before);
    }

    @Test
    void restoresEnvironmentWhenNativeCallsFail() {
        Map<String, String> variables = Map.of("UCX_TEST_OF_REACTOR_UCX", "1", "UCX_POSIX_ERROR_HANDLING", "changed");
        Optional<String> before = NativeEnvironment.get("UCX_POSIX_ERROR_HANDLING");
        assertThatThrownBy(() -> NativeEnvironment.with(variables, () -> {
            assertThat(NativeEnvironment.get("UCX_TEST_OF_REACTOR_UCX")).contains("1");
            assertThat(NativeEnvironment.get("UCX_POSIX_ERROR_HANDLING")).contains("changed");
            throw new IllegalStateException("a native call of a test");
        })).hasMessage("a native call of a test");
        assertThat(NativeEnvironment.get("UCX_TEST_OF_REACTOR_UCX")).isEmpty();
        assertThat(NativeEnvironment.get("UCX_POSIX_ERROR_HANDLING")).isEqualTo(before);
    }

    @Test
    void keepsVariablesOfOneThreadFromAnother() throws InterruptedException {
        String name = "UCX_TEST_OF_REACTOR_UCX";
        Thread reader = Thread.currentThread();
        CountDownLatch changed = new CountDownLatch(1);
        AtomicReference<Optional<String>> read = new AtomicReference<>();
        Thread writer = Thread.ofPlatform().start(() -> NativeEnvironment.with(Map.of(name, "1"), () -> {
            changed.countDown();
            // Until the reader has read, or waits for the lock.
            while (read.get() == null && reader.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            return name;
        }));
        while (changed.getCount() > 0) {
            Thread.onSpinWait();
        }
        read.set(NativeEnvironment.get(name));
        writer.join();
        assertThat(read.get()).isEmpty();
    }

    @Test
    void appliesSettingsOfUcp() {
        UcpConfig always = UcpConfig.builder().transports("tcp").rendezvousThreshold(0).build();
        assertThat(arrivesAsOffer(always)).isTrue();
        UcpConfig never = UcpConfig.builder().transports("tcp").setting("RNDV_THRESH", "inf").build();
        assertThat(arrivesAsOffer(never)).isFalse();
    }

    private static boolean arrivesAsOffer(UcpConfig config) {
        List<UcpActiveMessage> received = new ArrayList<>();
        try (UcpContext context = UcpContext.create(config);
                UcpWorker worker = context.createWorker(UcpWorkerConfig.of("x"))) {
            worker.activeMessages().handler(Pair.ID, message -> received.add(message.keep()));
            EndpointOptions options = new EndpointOptions(ErrorMode.PEER, "itself", (endpoint, status) -> { });
            UcpEndpoint endpoint = worker.connect(worker.address(), options);
            Outcome sent = Outcome.of(
                    done -> endpoint.amSend(Pair.ID, Pair.EMPTY, Pair.pattern(20_000), null, AmProtocol.AUTO, false,
                            done));
            Pair.until(worker::progress, () -> !received.isEmpty(), "a message");
            UcpActiveMessage message = received.getFirst();
            if (!message.isInline()) {
                worker.activeMessages().release(message);
            }
            Pair.until(worker::progress, sent::isDone, "a sent message");
            Outcome closed = Outcome.of(done -> endpoint.close(CloseMode.FORCE, done));
            Pair.until(worker::progress, closed::isDone, "a closed endpoint");
            return message.isRendezvous();
        }
    }

    /** UCX says which way of sending it takes for each size; where copies are slow, it prefers those without one. */
    @ParameterizedTest
    @ValueSource(strings = {"inf", "8k"})
    void tcpNeverSendsWithoutACopy(String rendezvous) {
        Map<String, String> slowCopies = Map.of("UCX_BCOPY_BW", "1MBs", "UCX_RNDV_THRESH", rendezvous);
        assertThat(NativeEnvironment.with(slowCopies, SettingsTest::overTcp)).contains("tcp/")
                .doesNotContain("zero-copy", "zcopy");
        boolean newProtocols = Ucx.version().isAtLeast(1, 16);
        if (newProtocols || rendezvous.equals("inf")) {
            assertThat(NativeEnvironment.with(with(slowCopies, "UCX_ZCOPY_THRESH", "auto"), SettingsTest::overTcp))
                    .as("what the default avoids").containsPattern("zero-copy|zcopy");
        }
        if (newProtocols && !rendezvous.equals("inf")) {
            assertThat(NativeEnvironment.with(with(slowCopies, "UCX_PROTOS", "all"), SettingsTest::overTcp))
                    .as("what ZCOPY_THRESH alone would leave").contains("rendezvous zero-copy");
        }
    }

    private static Map<String, String> with(Map<String, String> variables, String name, String value) {
        Map<String, String> all = new TreeMap<>(variables);
        all.put(name, value);
        return all;
    }

    @Test
    void tcpHasNoLaneForPutsUnlessASettingSaysOtherwise() {
        assertThat(overTcp()).contains("tcp/").doesNotContain("rma_bw#");
        assertThat(NativeEnvironment.with(Map.of("UCX_TCP_PUT_ENABLE", "y"), SettingsTest::overTcp))
                .contains("rma_bw#");
    }

    private static String overTcp() {
        try (Pair pair = Pair.of(Link.TCP_PEER)) {
            return pair.toServer.info();
        }
    }
}
