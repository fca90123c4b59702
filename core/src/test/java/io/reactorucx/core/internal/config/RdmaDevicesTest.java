package io.reactorucx.core.internal.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.ConfigPrint;
import io.reactorucx.core.UcpConfig;
import io.reactorucx.core.Ucx;
import io.reactorucx.core.internal.NativeEnvironment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The settings of UCX that depend on RDMA devices, of which folders are made here. */
class RdmaDevicesTest {

    private static UcxSettings settings(UcpConfig config) {
        Ucx.ensureAvailable();
        return new UcxSettings(config.settings(), config.environmentPrefix());
    }

    private static Map<String, String> ofTransports(UcpConfig config) {
        return ContextSettings.ofTransports(settings(config));
    }

    private static Map<String, String> ofTransports(UcpConfig config, RdmaDevices devices) {
        return ContextSettings.ofTransports(settings(config), devices);
    }

    private static Map<String, String> defaults(UcpConfig config, RdmaDevices devices) {
        return ContextSettings.defaults(settings(config), devices);
    }

    @Test
    void looksForDevices(@TempDir Path folder) throws IOException {
        RdmaDevices devices = new RdmaDevices(folder);
        assertThat(devices.hasAny()).isFalse();
        assertThat(new RdmaDevices(folder.resolve("missing")).hasAny()).isFalse();
        Files.createFile(folder.resolve("mlx5_0"));
        assertThat(devices.hasAny()).isTrue();
        assertThat(devices.mayBeUsed(settings(UcpConfig.builder().transports("rc", "tcp").build()))).isTrue();
        assertThat(devices.mayBeUsed(settings(UcpConfig.builder().transports("tcp").build()))).isFalse();
    }

    @Test
    void tellsDevicesOfMlx5FromOthersOnEthernet(@TempDir Path folder) {
        RdmaDevices devices = new RdmaDevices(folder);
        assertThat(devices.hasEthernetBesidesMlx5()).isFalse();
        SysfsDevice.in(folder, "mlx5_0").driver("mlx5_core").port(1, "4: ACTIVE", "Ethernet");
        SysfsDevice.in(folder, "mlx5_1").driver("mlx5_core.sf").port(1, "4: ACTIVE", "Ethernet");
        SysfsDevice.in(folder, "qib0").driver("ib_qib").port(1, "4: ACTIVE", "InfiniBand");
        SysfsDevice.in(folder, "odd").driver("unknown");
        assertThat(devices.hasEthernetBesidesMlx5()).isFalse();
        // Devices can be renamed, so that their names say nothing.
        SysfsDevice.in(folder, "mlx5_2").port(1, "4: ACTIVE", "InfiniBand").port(2, "1: DOWN", "Ethernet");
        assertThat(devices.hasEthernetBesidesMlx5()).isTrue();
    }

    @Test
    void datagramsDoNotCheckTheirAddressOnDevicesBesidesMlx5(@TempDir Path folder) {
        String variable = "UCX_UD_VERBS_ETH_DGID_CHECK";
        RdmaDevices devices = new RdmaDevices(folder);
        UcpConfig config = UcpConfig.builder().transports("ud_v").environmentPrefix("RUTEST").build();
        assertThat(ofTransports(config, devices)).doesNotContainKey(variable);
        SysfsDevice.in(folder, "mlx5_0").driver("mlx5_core").port(1, "4: ACTIVE", "Ethernet");
        assertThat(ofTransports(config, devices)).doesNotContainKey(variable);
        SysfsDevice.in(folder, "rxe0").port(1, "4: ACTIVE", "Ethernet");
        assertThat(ofTransports(config, devices)).containsEntry(variable, "n")
                .containsEntry("RUTEST_" + variable, "n");
        assertThat(NativeEnvironment.with(Map.of("UCX_UD_ETH_DGID_CHECK", "y"),
                () -> ofTransports(config, devices))).doesNotContainKey(variable);
        assertThat(NativeEnvironment.with(Map.of(variable, "y"),
                () -> ofTransports(config, devices))).doesNotContainKey(variable);
        UcpConfig set = UcpConfig.builder().setting("UD_VERBS_ETH_DGID_CHECK", "y").build();
        assertThat(ofTransports(set, devices)).containsEntry(variable, "y");
    }

    @Test
    void softRoceReportsNoEnds(@TempDir Path folder) {
        String variable = "UCX_IB_ASYNC_EVENTS";
        RdmaDevices devices = new RdmaDevices(folder);
        UcpConfig config = UcpConfig.builder().transports("rc_v").build();
        SysfsDevice.in(folder, "mlx5_0").driver("mlx5_core").port(1, "4: ACTIVE", "Ethernet");
        assertThat(ofTransports(config, devices)).doesNotContainKey(variable);
        SysfsDevice.in(folder, "rxe0").networkDevice("eth0").port(1, "4: ACTIVE", "Ethernet");
        assertThat(ofTransports(config, devices)).containsEntry(variable, "n");
        assertThat(ofTransports(with(config, "IB_ASYNC_EVENTS", "y"), devices))
                .containsEntry(variable, "y");
        assertThat(NativeEnvironment.with(Map.of(variable, "y"), () -> ofTransports(config, devices)))
                .doesNotContainKey(variable);
    }

    @Test
    void softRoceEndsItsRetries(@TempDir Path folder) {
        String variable = "UCX_RC_VERBS_RETRY_COUNT";
        RdmaDevices devices = new RdmaDevices(folder);
        UcpConfig config = UcpConfig.builder().transports("rc_v").build();
        SysfsDevice.in(folder, "mlx5_0").driver("mlx5_core").port(1, "4: ACTIVE", "Ethernet");
        assertThat(ofTransports(config, devices)).doesNotContainKey(variable);
        SysfsDevice.in(folder, "rxe0").networkDevice("eth0").port(1, "4: ACTIVE", "Ethernet");
        assertThat(ofTransports(config, devices)).containsEntry(variable, "6");
        assertThat(ofTransports(with(config, "RC_VERBS_RETRY_COUNT", "3"), devices))
                .containsEntry(variable, "3");
        for (String other : List.of(variable, "UCX_RC_RETRY_COUNT")) {
            assertThat(NativeEnvironment.with(Map.of(other, "7"), () -> ofTransports(config, devices)))
                    .doesNotContainKey(variable);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"all | all | true", "rc,tcp | all | true", "^posix | all | true",
        "all | mlx5_0:1 | false", "^tcp | all | false", "rc_v | all | false", "ud_v,tcp:aux | all | false"})
    void rdmaHasSendsWithoutACopyWhereNoMessageMayGoOverTcp(String transports, String ports, boolean overTcp,
            @TempDir Path folder) {
        RdmaDevices devices = new RdmaDevices(folder);
        SysfsDevice.in(folder, "mlx5_0").driver("mlx5_core").port(1, "4: ACTIVE", "Ethernet");
        UcpConfig config = UcpConfig.builder().setting("TLS", transports).netDevices(ports).build();
        Map<String, String> defaults = defaults(config, devices);
        boolean byProtocol = Ucx.version().isAtLeast(1, 16);
        assertThat(defaults.containsKey("PROTOS")).isEqualTo(overTcp && byProtocol);
        // It would take RDMA its reads and writes without a copy, too.
        assertThat(defaults.containsKey("ZCOPY_THRESH")).isEqualTo(overTcp && !byProtocol);
        assertThat(ofTransports(config, devices).containsKey("UCX_TCP_TX_SEG_SIZE"))
                .isEqualTo(overTcp);
        assertThat(defaults.containsKey("RNDV_THRESH")).isEqualTo(byProtocol);
        assertThat(defaults(with(config, "ZCOPY_THRESH", "4k"), devices))
                .doesNotContainKeys("PROTOS", "ZCOPY_THRESH");
    }

    @Test
    void copiesByAThresholdWhereTheUserChoosesTheProtocols(@TempDir Path folder) {
        RdmaDevices devices = new RdmaDevices(folder);
        SysfsDevice.in(folder, "mlx5_0").driver("mlx5_core").port(1, "4: ACTIVE", "Ethernet");
        UcpConfig all = UcpConfig.builder().build();
        assertThat(defaults(with(all, "PROTOS", "all"), devices)).containsEntry("ZCOPY_THRESH", "inf")
                .doesNotContainKey("PROTOS");
        assertThat(defaults(with(all, "PROTO_ENABLE", "n"), devices))
                .containsEntry("ZCOPY_THRESH", "inf");
    }

    private static UcpConfig with(UcpConfig config, String key, String value) {
        Map<String, String> settings = new TreeMap<>(config.settings());
        settings.put(key, value);
        return new UcpConfig("test", config.features(), 1, settings);
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
        assertThat(ofTransports(UcpConfig.builder().transports("tcp").build()))
                .containsOnly(Map.entry("UCX_TCP_TX_SEG_SIZE", "64k"), Map.entry("UCX_TCP_PUT_ENABLE", "n"));
        assertThat(ofTransports(UcpConfig.builder().transports("tcp").environmentPrefix("APP").build()))
                .containsOnlyKeys("UCX_TCP_TX_SEG_SIZE", "APP_UCX_TCP_TX_SEG_SIZE", "UCX_TCP_PUT_ENABLE",
                        "APP_UCX_TCP_PUT_ENABLE");
    }

    @ParameterizedTest
    @CsvSource({"ZCOPY_THRESH, 4k,", "TCP_TX_SEG_SIZE, 16k, 16k", "TCP_RX_SEG_SIZE, 32k,"})
    void buffersOfTcpAreUcxsOwnOrTheUsersWhereAnyOfTheSettingsIs(String key, String value, @Nullable String expected) {
        UcpConfig config = UcpConfig.builder().transports("tcp").setting(key, value).build();
        assertThat(ofTransports(config).get("UCX_TCP_TX_SEG_SIZE")).isEqualTo(expected);
        UcpConfig silent = UcpConfig.builder().transports("tcp").build();
        assertThat(NativeEnvironment.with(Map.of("UCX_" + key, value), () -> ofTransports(silent)))
                .doesNotContainKey("UCX_TCP_TX_SEG_SIZE");
    }
}
