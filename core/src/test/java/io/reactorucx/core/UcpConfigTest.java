package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UcpConfigTest {

    @ParameterizedTest
    @CsvSource({"TSL, TLS", "RNDV_TRESH, RNDV_THRESH", "UCX_NETDEVICES, NET_DEVICES",
        "posix_error_handlin, POSIX_ERROR_HANDLING"})
    void namesNearestKeyToUnknownOne(String unknown, String nearest) {
        assertThatThrownBy(() -> UcpConfig.builder().setting(unknown, "y")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("setting " + unknown).hasMessageContaining("nearest one is " + nearest);
    }

    @ParameterizedTest
    @ValueSource(strings = {"LOG_LEVEL", "UCX_MEM_EVENTS", "error_signals"})
    void pointsToEnvironmentForKeysThatAreReadWhileLoading(String key) {
        assertThatThrownBy(() -> UcpConfig.builder().setting(key, "x")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("setting " + key).hasMessageContaining("environment");
    }

    @ParameterizedTest
    @ValueSource(strings = {"RNDV_THRESH", "UCX_RNDV_THRESH", "rndv_thresh", "ucx_rndv_thresh"})
    void takesKeysWithAndWithoutPrefixInAnyCase(String key) {
        assertThat(UcpConfig.builder().setting(key, "8k").build().settings()).isEqualTo(Map.of("RNDV_THRESH", "8k"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '=', value = {"RNDV_FRAG_SIZE=host", "RNDV_FRAG_SIZE='host:512K,cuda'",
        "RNDV_FRAG_ALLOC_COUNT=128", "RNDV_FRAG_ALLOC_COUNT=host:", "RNDV_FRAG_SIZE=host:0", "POSIX_FIFO_MAX_POLL=0",
        "SYSV_FIFO_MAX_POLL=00", "SYSV_FIFO_MAX_POLL=0x10", "POSIX_FIFO_MAX_POLL=' '"})
    void refusesValuesThatWouldEndTheProcess(String key, String value) {
        assertThatThrownBy(() -> UcpConfig.builder().setting(key, value)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("setting " + key + "=" + value + ": must be");
        assertThatThrownBy(() -> new UcpConfig("x", Set.of(UcpFeature.AM), 1, Map.of(key, value)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("setting " + key + "=" + value
                + ": must be");
    }

    @Test
    void refusesMoreEntriesThanUcxCounts() {
        String[] names = IntStream.range(0, 65).mapToObj(i -> "eth" + i).toArray(String[]::new);
        assertThatThrownBy(() -> UcpConfig.builder().netDevices(names)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("NET_DEVICES").hasMessageContaining("at most 64");
        for (String key : List.of("SHM_DEVICES", "SELF_DEVICES", "ACC_DEVICES")) {
            assertThatThrownBy(() -> UcpConfig.builder().setting(key, String.join(",", names)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(key);
        }
        assertThatThrownBy(() -> UcpConfig.builder().setting("RNDV_FRAG_SIZE", "h".repeat(126) + ":1"))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("127");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '=', value = {"RNDV_FRAG_SIZE='host:512K,cuda:4M'",
        "RNDV_FRAG_ALLOC_COUNT='host:128,cuda:128'", "RNDV_FRAG_SIZE=''", "POSIX_FIFO_MAX_POLL=16",
        "POSIX_FIFO_MAX_POLL=auto", "NET_DEVICES='^lo,eth0'"})
    void takesValuesThatUcxPrints(String key, String value) {
        assertThat(UcpConfig.builder().setting(key, value).build().settings()).isEqualTo(Map.of(key, value));
    }

    @Test
    void turnsConvenienceIntoSettings() {
        UcpConfig config = UcpConfig.builder().transports("tcp", "posix").netDevices("lo", "eth0")
                .rendezvousThreshold(4096)
                .keepAliveInterval(Duration.ofMillis(1500)).build();
        assertThat(config.settings()).containsEntry("TLS", "tcp,posix").containsEntry("NET_DEVICES", "lo,eth0")
                .containsEntry("RNDV_THRESH", "4096").containsEntry("KEEPALIVE_INTERVAL", "1500ms");
    }

    @Test
    void refusesBadParts() {
        assertThatThrownBy(() -> UcpConfig.builder().name("x".repeat(32)).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("name").hasMessageContaining("31");
        assertThatThrownBy(() -> UcpConfig.builder().name(null).build()).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("name");
        assertThatThrownBy(() -> UcpConfig.builder().estimatedEndpoints(0).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("estimatedEndpoints 0");
        assertThatThrownBy(() -> UcpConfig.builder().rendezvousThreshold(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("rendezvousThreshold -1");
        assertThatThrownBy(() -> UcpConfig.builder().keepAliveInterval(Duration.ofNanos(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("keepAliveInterval");
        assertThatThrownBy(() -> UcpConfig.builder().setting("TLS", null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("value");
        assertThatThrownBy(() -> UcpConfig.builder().setting("TLS", "self\0,tcp").build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("setting TLS").hasMessageContaining("character 0");
        assertThatThrownBy(() -> UcpConfig.builder().setting(null, "x")).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("key");
        assertThatThrownBy(() -> UcpConfig.builder().feature(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> new UcpConfig("x", Set.of(), 1, Map.of())).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("features");
        assertThatThrownBy(() -> new UcpConfig("x", null, 1, Map.of())).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("features");
        assertThatThrownBy(() -> new UcpConfig("x", Set.of(UcpFeature.AM), 1, null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("settings");
        assertThatThrownBy(() -> new UcpConfig("x", Set.of(UcpFeature.AM), 1, Map.of("TSL", "tcp")))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("TLS");
    }

    @Test
    void copiesWhatItIsGiven() {
        Map<String, String> settings = new TreeMap<>(Map.of("TLS", "tcp"));
        UcpConfig config = new UcpConfig("x", Set.of(UcpFeature.AM), 1, settings);
        settings.put("TLS", "posix");
        assertThat(config.settings()).isEqualTo(Map.of("TLS", "tcp"));
        assertThatThrownBy(() -> config.settings().put("TLS", "y")).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> config.features().add(UcpFeature.TAG))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void leavesMemoryClosedToPeersByDefault() {
        assertThat(UcpConfig.builder().build().features()).containsExactlyInAnyOrder(UcpFeature.AM, UcpFeature.TAG,
                UcpFeature.WAKEUP);
    }

    @ParameterizedTest
    @CsvSource({"0, 1, 1, maxInFlight", "1048577, 1, 1, maxInFlight", "1, -1, 1, maxInlineBytes",
        "1, 16777217, 1, maxInlineBytes", "1, 1, 0, maxPendingConnections"})
    void refusesLimitsOfWorkerOutOfRange(int maxInFlight, int maxInlineBytes, int maxPending, String argument) {
        assertThatThrownBy(() -> new UcpWorkerConfig("x", maxInFlight, maxInlineBytes, maxPending))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining(argument);
    }

    @Test
    void refusesBadNamesAndOptions() {
        assertThatThrownBy(() -> UcpWorkerConfig.of(null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("name");
        assertThatThrownBy(() -> UcpWorkerConfig.of("x".repeat(32))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("name");
        EndpointErrorHandler handler = (endpoint, status) -> { };
        assertThatThrownBy(() -> new EndpointOptions(null, "x", handler)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("errorMode");
        assertThatThrownBy(() -> new EndpointOptions(ErrorMode.PEER, null, handler))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("peer");
        assertThatThrownBy(() -> new EndpointOptions(ErrorMode.PEER, "x", null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("onError");
    }
}
