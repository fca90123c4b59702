package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.internal.NativeEnvironment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Without RDMA devices messages are sent with a copy, unless the user says otherwise. */
class RdmaDevicesTest {

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "posix,tcp", "tcp,self", "sysv,\\tcp", "sm,cma", "tcp:aux,self"})
    void knowsTransportsWithoutDevice(String transports) {
        assertThat(RdmaDevices.isWithoutDevice(transports)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"all", "rc,tcp", "^posix", "ib", "tcp,cuda_copy", "^tcp,ib", "rc_verbs,tcp:aux"})
    void takesOtherTransportsForOnesWithDevice(String transports) {
        assertThat(RdmaDevices.isWithoutDevice(transports)).isFalse();
    }

    @Test
    void looksForDevices(@TempDir Path folder) throws IOException {
        assertThat(RdmaDevices.hasAny(folder)).isFalse();
        assertThat(RdmaDevices.hasAny(folder.resolve("missing"))).isFalse();
        Files.createFile(folder.resolve("mlx5_0"));
        assertThat(RdmaDevices.hasAny(folder)).isTrue();
    }

    @Test
    void sendsWithACopyOverTcpUnlessASettingSaysOtherwise() {
        UcpConfig.Builder tcp = UcpConfig.builder().transports("tcp");
        assertThat(tcp.build().print(ConfigPrint.CONFIG)).containsPattern("(?m)^UCX_ZCOPY_THRESH=inf$");
        tcp.setting("ZCOPY_THRESH", "4096");
        assertThat(tcp.build().print(ConfigPrint.CONFIG)).contains("ZCOPY_THRESH=4K")
                .doesNotContain("ZCOPY_THRESH=inf");
    }

    @Test
    void tcpCopiesIntoLargerBuffersUnlessASettingSaysOtherwise() {
        assertThat(ContextSettings.ofTransports(UcpConfig.builder().transports("tcp").build()))
                .containsOnly(Map.entry("UCX_TCP_TX_SEG_SIZE", "64k"), Map.entry("UCX_TCP_PUT_ENABLE", "n"));
        assertThat(ContextSettings.ofTransports(UcpConfig.builder().transports("tcp").environmentPrefix("APP").build()))
                .containsOnlyKeys("UCX_TCP_TX_SEG_SIZE", "APP_UCX_TCP_TX_SEG_SIZE", "UCX_TCP_PUT_ENABLE",
                        "APP_UCX_TCP_PUT_ENABLE");
    }

    @ParameterizedTest
    @CsvSource({"ZCOPY_THRESH, 4k,", "TCP_TX_SEG_SIZE, 16k, 16k", "TCP_RX_SEG_SIZE, 32k,"})
    void buffersOfTcpAreUcxsOwnOrTheUsersWhereAnyOfTheSettingsIs(String key, String value, @Nullable String expected) {
        UcpConfig config = UcpConfig.builder().transports("tcp").setting(key, value).build();
        assertThat(ContextSettings.ofTransports(config).get("UCX_TCP_TX_SEG_SIZE")).isEqualTo(expected);
        UcpConfig silent = UcpConfig.builder().transports("tcp").build();
        assertThat(NativeEnvironment.with(Map.of("UCX_" + key, value), () -> ContextSettings.ofTransports(silent)))
                .doesNotContainKey("UCX_TCP_TX_SEG_SIZE");
    }

    @Test
    void tcpHasNoLaneForPutsUnlessASettingSaysOtherwise() {
        assertThat(lanesOverTcp()).contains("tcp/").doesNotContain("rma_bw#");
        assertThat(NativeEnvironment.with(Map.of("UCX_TCP_PUT_ENABLE", "y"), RdmaDevicesTest::lanesOverTcp))
                .contains("rma_bw#");
    }

    private static String lanesOverTcp() {
        try (Pair pair = Pair.of(Link.TCP_PEER)) {
            return pair.toServer.info();
        }
    }
}
