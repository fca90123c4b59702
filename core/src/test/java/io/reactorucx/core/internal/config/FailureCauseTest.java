package io.reactorucx.core.internal.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.error.UcxStatus;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What errors say of RDMA devices. */
class FailureCauseTest {

    private static final String LOCKED = "this process may lock 64 KiB";
    private static final UcxSettings RDMA = settings("TLS", "rc_v");

    @TempDir
    private Path folder;
    private RdmaDevices devices;

    private static UcxSettings settings(String key, String value) {
        return new UcxSettings(Map.of(key, value), "");
    }

    @BeforeEach
    void listDevices() {
        devices = new RdmaDevices(folder);
    }

    @ParameterizedTest
    @EnumSource(value = UcxStatus.class, names = {"IO_ERROR", "NO_MEMORY"})
    void namesTheLimitOfLockedMemoryWhereAnRdmaDeviceMayBeUsed(UcxStatus status) {
        assertThat(FailureCause.resource(status, RDMA, devices, LOCKED)).as("without a device").isNull();
        SysfsDevice.in(folder, "rxe0").port(1, "4: ACTIVE", "Ethernet");
        assertThat(FailureCause.resource(status, RDMA, devices, LOCKED)).isEqualTo(LOCKED);
        assertThat(FailureCause.resource(status, settings("TLS", "tcp"), devices, LOCKED))
                .as("over tcp").isNull();
        assertThat(FailureCause.resource(status, RDMA, devices, null)).as("without a limit").isNull();
        assertThat(FailureCause.resource(UcxStatus.UNREACHABLE, RDMA, devices, LOCKED)).as("another error").isNull();
    }

    @Test
    void namesPortsThatAreDownOrMissing() {
        SysfsDevice.in(folder, "rxe0").port(1, "1: DOWN", "Ethernet").port(2, "4: ACTIVE", "Ethernet");
        assertThat(setting("rxe0:1")).contains("TLS=rc_v").contains("the port rxe0:1 is DOWN and not ACTIVE");
        assertThat(setting("rxe0:1,mlx5_3:1")).contains("rxe0:1 is DOWN")
                .contains("no RDMA device has the port mlx5_3:1, there is rxe0:1, rxe0:2");
        assertThat(setting("rxe0:2")).contains("NET_DEVICES=rxe0:2").doesNotContain("the port");
    }

    @Test
    void namesAllPortsThatAreDownWhereNoneIsNamed() {
        assertThat(FailureCause.setting(UcxStatus.NO_DEVICE, RDMA, devices)).contains("TLS=rc_v")
                .contains("this host has no RDMA device in " + folder);
        SysfsDevice.in(folder, "mlx5_0").port(1, "2: INIT", "InfiniBand");
        assertThat(FailureCause.setting(UcxStatus.NO_DEVICE, RDMA, devices))
                .contains("the port mlx5_0:1 is INIT and not ACTIVE").doesNotContain("no RDMA device");
        assertThat(FailureCause.setting(UcxStatus.NO_DEVICE, settings("TLS", "tcp"), devices)).contains("TLS=tcp")
                .doesNotContain("mlx5_0");
        assertThat(FailureCause.setting(UcxStatus.BUSY, RDMA, devices)).isNull();
    }

    private String setting(String ports) {
        return String.valueOf(FailureCause.setting(UcxStatus.NO_DEVICE, new UcxSettings(Map.of("TLS", "rc_v",
                "NET_DEVICES", ports), ""), devices));
    }
}
