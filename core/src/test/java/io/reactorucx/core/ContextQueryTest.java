package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.core.internal.NativeEnvironment;
import io.reactorucx.testsupport.NoLeaks;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Queries of the library and of a context, and the parameters of a context. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class ContextQueryTest {

    @BeforeEach
    void requireUcx() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
    }

    private static UcpConfig.Builder tcp() {
        return UcpConfig.builder().name("queried").transports("tcp");
    }

    @Test
    void saysItsVersionAsTextAndAsNumbers() {
        assertThat(Ucx.versionString()).startsWith(Ucx.version().toString());
    }

    @Test
    void saysWhatThreadsTheLibraryAllows() {
        assertThat(Ucx.maxThreadMode()).isIn(UcxThreadMode.SERIALIZED, UcxThreadMode.MULTI);
    }

    @Test
    void queriesContext() {
        try (UcpContext context = UcpContext.create(tcp().build())) {
            UcpContextAttributes attributes = context.attributes();
            assertThat(attributes.name()).isEqualTo("queried");
            assertThat(attributes.requestSize()).isGreaterThan(64);
            assertThat(attributes.memoryTypes()).contains(UcxMemoryType.HOST);
            assertThat(attributes.threadMode()).isEqualTo(UcxThreadMode.MULTI);
            assertThat(context.transports()).isNotEmpty().allMatch(name -> name.startsWith("tcp/"));
        }
    }

    @Test
    void takesHintsForTheChoiceOfTransports() {
        UcpConfig config = tcp().estimatedEndpoints(1000).estimatedProcessesPerNode(64).tagSenderMask(0xffffL).build();
        assertThat(config.estimatedProcessesPerNode()).isEqualTo(64);
        assertThat(config.tagSenderMask()).isEqualTo(0xffffL);
        try (UcpContext context = UcpContext.create(config);
                UcpWorker worker = context.createWorker(UcpWorkerConfig.of("x"))) {
            assertThat(worker.address()).isNotEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 1L << 20, Integer.MAX_VALUE})
    void connectsWhateverTheHints(long value) {
        UcpConfig config = UcpConfig.builder().transports("posix", "tcp").estimatedEndpoints(value)
                .estimatedProcessesPerNode(value)
                .tagSenderMask(-1).build();
        try (UcpContext context = UcpContext.create(config);
                UcpWorker worker = context.createWorker(UcpWorkerConfig.of("x"))) {
            EndpointOptions options = new EndpointOptions(ErrorMode.PEER, "itself", (endpoint, status) -> { });
            UcpEndpoint endpoint = worker.connect(worker.address(), options);
            Outcome flushed = Outcome.of(endpoint::flush);
            Pair.until(worker::progress, flushed::isDone, "a connection");
            assertThat(flushed.status()).isEqualTo(UcxStatus.OK);
            Outcome closed = Outcome.of(done -> endpoint.close(CloseMode.FORCE, done));
            Pair.until(worker::progress, () -> closed.isDone() && worker.inFlight() == 0, "a closed endpoint");
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, 1L << 31, 1L << 32, Long.MAX_VALUE})
    void refusesHintThatUcxCannotKeep(long value) {
        assertThatThrownBy(() -> tcp().estimatedEndpoints(value).build()).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("estimatedEndpoints " + value);
        assertThatThrownBy(() -> tcp().estimatedProcessesPerNode(value).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("estimatedProcessesPerNode " + value);
    }

    @ParameterizedTest
    @ValueSource(strings = {"A_B", "1A", "a=b", "a b", "x234567890123456789012345678901234567890"})
    void refusesPrefixThatIsNoName(String prefix) {
        assertThatThrownBy(() -> tcp().environmentPrefix(prefix).build()).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("environmentPrefix " + prefix);
    }

    @Test
    void refusesNameWithZero() {
        assertThatThrownBy(() -> tcp().name("a\0b").build()).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("name");
    }

    @Test
    void bindsContextOfOneThreadToIt() {
        UcpContext context = UcpContext.create(tcp().workersShared(false).build());
        assertThat(context.attributes().threadMode()).isEqualTo(UcxThreadMode.SINGLE);
        UcpMemory memory = context.allocate(100);
        for (Runnable use : List.<Runnable>of(() -> context.allocate(10),
                () -> context.register(Arena.ofAuto().allocate(10)), () -> context.createWorker(
                        UcpWorkerConfig.of("x")), context::info, context::attributes, context::close, memory::close)) {
            assertThat(BadInput.thrownOnAnotherThread(use)).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("context queried").hasMessageContaining("workersShared(false)");
        }
        memory.close();
        context.close();
        assertThat(context.isClosed()).isTrue();
    }

    @Test
    void printsConfigurationWithItsSettings() {
        String text = tcp().setting("RNDV_THRESH", "12345").build().print(ConfigPrint.CONFIG);
        assertThat(text).contains("UCX_TLS=tcp").containsPattern("UCX_RNDV_THRESH=.*12345")
                .doesNotContain("Transports to use");
        assertThat(tcp().build().print(ConfigPrint.HEADER, ConfigPrint.CONFIG, ConfigPrint.DOC)).contains("queried")
                .contains("#");
        assertThat(tcp().build().print(ConfigPrint.CONFIG, ConfigPrint.HIDDEN).lines().count())
                .isGreaterThan(tcp().build().print(ConfigPrint.CONFIG).lines().count());
        assertThatThrownBy(() -> tcp().setting("RNDV_THRESH", "junk").build().print(ConfigPrint.CONFIG))
                .isInstanceOf(UcxException.class)
                .hasMessageContaining("setting RNDV_THRESH=junk");
    }

    @Test
    void letsVariablesWithPrefixWin() {
        NativeEnvironment.with(Map.of("UCX_ZCOPY_THRESH", "111", "RUTEST_UCX_ZCOPY_THRESH", "222"), () -> {
            UcpConfig without = UcpConfig.builder().build();
            UcpConfig with = UcpConfig.builder().environmentPrefix("RUTEST").build();
            assertThat(without.print(ConfigPrint.CONFIG)).contains("ZCOPY_THRESH=111");
            assertThat(with.print(ConfigPrint.CONFIG)).contains("ZCOPY_THRESH=222");
            try (UcpContext context = UcpContext.create(with)) {
                assertThat(context.attributes().name()).isEqualTo("reactor-ucx");
            }
            return null;
        });
    }

    /** With a wrong result UCX would get addresses that it has no space for. */
    @Test
    void knowsWhatTransportsReadFromVariablesWithPrefix() {
        UcpConfig.Builder prefixed = UcpConfig.builder().transports("self").environmentPrefix("RUTEST");
        NativeEnvironment.with(Map.of("UCX_TCP_AF_PRIO", "inet6", "RUTEST_UCX_TCP_AF_PRIO", "inet"), () -> {
            try (UcpContext without = UcpContext.create(UcpConfig.builder().transports("self").build());
                    UcpContext with = UcpContext.create(prefixed.build())) {
                assertThat(without.tcpUsesOnlyIpv6()).isTrue();
                assertThat(with.tcpUsesOnlyIpv6()).isFalse();
            }
            try (UcpContext own = UcpContext.create(prefixed.setting("TCP_AF_PRIO", "inet6").build())) {
                assertThat(own.tcpUsesOnlyIpv6()).isTrue();
            }
            return null;
        });
    }

    @Test
    void describesMemoryThatItWouldAllocate() {
        try (UcpContext context = UcpContext.create(tcp().build())) {
            assertThat(context.memoryInfo(4096)).contains("UCP memory allocation").contains("allocated 4K");
            assertThat(context.openRegistrations()).isZero();
            assertThatThrownBy(() -> context.memoryInfo(0)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("bytes 0");
            for (long tooMuch : new long[] {1L << 60, Long.MAX_VALUE}) {
                assertThatThrownBy(() -> context.memoryInfo(tooMuch)).isInstanceOf(UcxException.class)
                        .hasMessageContaining(tooMuch + " bytes cannot be allocated");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(UcpCapability.class)
    void answersForEveryCapabilityWithReason(UcpCapability capability) {
        try (UcpContext context = UcpContext.create(tcp().build())) {
            UcpSupport support = context.support(capability);
            assertThat(support.reason().isEmpty()).as("%s", support).isEqualTo(support.isSupported());
            if (support.isSupported()) {
                support.require("a test");
            } else {
                assertThatThrownBy(() -> support.require("a test")).isInstanceOf(UcxUnsupportedException.class)
                        .hasMessageContaining("a test").hasMessageContaining(support.reason());
            }
        }
    }

    @Test
    void namesTheVersionAndTheFunctionThatAreMissing() {
        UcxVersion old = new UcxVersion(1, 13, 1);
        assertThat(UcpCapability.REMOTE_KEY_COMPARE.inLibrary(old, false).reason()).contains("1.16").contains("1.13.1");
        assertThat(UcpCapability.REMOTE_KEY_COMPARE.inLibrary(new UcxVersion(1, 16, 0), false).reason())
                .contains("ucp_rkey_compare");
        assertThat(UcpCapability.REMOTE_KEY_COMPARE.inLibrary(new UcxVersion(1, 16, 0), true).isSupported()).isTrue();
        assertThat(UcpCapability.REMOTE_KEY_COMPARE.inLibrary(new UcxVersion(2, 0, 0), true).isSupported()).isTrue();
    }

    @Test
    void namesTheFeatureTheModeAndTheTransportThatAreMissing() {
        try (UcpContext context = UcpContext.create(tcp().build())) {
            assertThat(context.support(UcpCapability.STREAMS).reason()).contains("feature STREAM");
            assertThat(context.support(UcpCapability.TAGS).isSupported()).isTrue();
            assertThat(context.support(UcpCapability.ENDPOINT_FORCED_CLOSE, ErrorMode.NONE).reason())
                    .contains("error mode PEER");
            assertThat(context.support(UcpCapability.SHARED_MEMORY).reason()).contains("tcp/")
                    .contains("shared memory");
            assertThat(context.support(UcpCapability.SOCKET_ADDRESSES).isSupported()).isTrue();
            assertThat(context.support(UcpCapability.SOCKET_ADDRESSES_IPV6).reason()).contains("TCP_AF_PRIO");
        }
        UcpConfig.Builder shared = UcpConfig.builder().transports("posix", "self");
        for (String yes : List.of("y", "Yes", "YES", "1")) {
            try (UcpContext context = UcpContext.create(shared.setting("POSIX_ERROR_HANDLING", yes).build())) {
                assertThat(context.support(UcpCapability.SHARED_MEMORY).isSupported()).as(yes).isTrue();
            }
        }
        shared = UcpConfig.builder().transports("posix", "self");
        try (UcpContext context = UcpContext.create(shared.build())) {
            assertThat(context.support(UcpCapability.SHARED_MEMORY).isSupported()).isTrue();
            assertThat(context.support(UcpCapability.SOCKET_ADDRESSES).reason()).contains("add tcp");
        }
        try (UcpContext context = UcpContext.create(shared.setting("POSIX_ERROR_HANDLING", "n").build())) {
            assertThat(context.support(UcpCapability.SHARED_MEMORY, ErrorMode.NONE).isSupported()).isTrue();
            assertThat(context.support(UcpCapability.SHARED_MEMORY).reason()).contains("POSIX_ERROR_HANDLING=y");
        }
    }

    /** UCX 1.16 to 1.18 emulate gets in mode PEER, which no other sign shows. */
    @Test
    void saysWhetherTheDeviceAnswersGets() {
        boolean emulated = Ucx.version().isAtLeast(1, 16) && !Ucx.version().isAtLeast(1, 19);
        try (UcpContext context = UcpContext.create(tcp().feature(UcpFeature.RMA).build())) {
            assertThat(context.support(UcpCapability.DEVICE_GETS, ErrorMode.PEER).isSupported()).isEqualTo(!emulated);
            assertThat(context.support(UcpCapability.DEVICE_GETS, ErrorMode.NONE).isSupported()).isTrue();
        }
    }

    @Test
    void refusesFeatureThatTheLibraryWouldIgnore() {
        assumeTrue(!Ucx.version().isAtLeast(1, 14), "this library knows exported memory handles");
        assertThatThrownBy(() -> UcpContext.create(tcp().feature(UcpFeature.EXPORTED_MEMH).build()))
                .isInstanceOf(UcxUnsupportedException.class).hasMessageContaining("EXPORTED_MEMH")
                .hasMessageContaining("1.14");
    }

    /**
     * Each name that the installed library prints can be set to what it is, or is refused with the advice to set it in
     * the environment.
     */
    @Test
    void knowsEveryKeyThatTheLibraryHas() throws IOException {
        Process process;
        try {
            process = new ProcessBuilder("ucx_info", "-caf").redirectErrorStream(true).start();
        } catch (IOException e) {
            assumeTrue(false, "ucx_info is not installed: " + e.getMessage());
            return;
        }
        Map<String, String> keys;
        try (var out = process.inputReader(StandardCharsets.UTF_8)) {
            keys = out.lines().map(line -> line.replaceFirst("^#?\\s*", ""))
                    .filter(line -> line.matches("UCX_[A-Z0-9_]+=.*"))
                    .collect(Collectors.toMap(line -> line.substring(0, line.indexOf('=')),
                            line -> line.substring(line.indexOf('=') + 1), (first, second) -> first));
        }
        assertThat(keys).hasSizeGreaterThan(100).containsKeys("UCX_TLS", "UCX_NET_DEVICES", "UCX_RNDV_THRESH");
        assertThat(keys).allSatisfy((key, value) -> {
            try {
                assertThat(UcpConfig.builder().setting(key, value).build().settings())
                        .containsKey(key.substring("UCX_".length()));
            } catch (IllegalArgumentException e) {
                assertThat(e).hasMessageContaining("environment");
            }
        });
    }

    @Test
    void readsMemoryTypesFromMask() {
        assertThat(UcxMemoryType.of(0b101L)).containsExactly(UcxMemoryType.HOST, UcxMemoryType.CUDA_MANAGED);
        assertThat(UcxMemoryType.of(-1L))
                .containsExactlyElementsOf(EnumSet.range(UcxMemoryType.HOST, UcxMemoryType.GAUDI));
        assertThat(UcxMemoryType.of(77)).isEqualTo(UcxMemoryType.UNKNOWN);
        assertThat(UcxMemoryType.CUDA.isHostAccessible()).isFalse();
    }
}
