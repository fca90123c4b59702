package io.reactorucx.transport.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.core.UcpConfig;
import io.reactorucx.core.error.UcxUnsupportedException;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whether UCX would listen for tcp, as its setting TLS says, and how it is kept to some devices. */
class TransportSettingsTest {

    private static TransportSettings of(String transports) {
        return new TransportSettings(UcpConfig.builder().setting("TLS", transports).build());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"tcp | true", "rc_verbs,tcp:aux | true", "posix,TCP | false", "\\tcp | true",
        "all | true", "^posix | true", "^tcp:aux | true", "self,posix | false", "^posix,tcp | false", "^TCP | true",
        "'^posix, tcp' | true", "posix,\\tcp:aux | true", "posix,tcp:AUX | false"})
    void knowsEachNameOfTcp(String transports, boolean wanted) {
        TransportSettings settings = of(transports);
        assertThat(settings.wantsTcp()).isEqualTo(wanted);
        assertThat(settings.followAddresses()).isEqualTo(wanted);
        assertThat(settings.on(NetworkDevices.LOOPBACK).settings().containsKey("NET_DEVICES")).isEqualTo(wanted);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"rc_verbs,tcp:aux | rc_verbs", "posix,\\tcp,self | posix,self", "all | ^tcp",
        "^posix | ^posix,tcp", "^TCP | ^TCP,tcp", "'^posix, tcp' | '^posix, tcp,tcp'", "^tcp:aux | ^tcp:aux,tcp"})
    void leavesTcpOutWithoutADevice(String transports, String expected) {
        assertThat(of(transports).on(NetworkDevices.NONE).settings()).containsEntry("TLS", expected);
    }

    @Test
    void refusesTcpAloneWithoutADevice() {
        assertThatThrownBy(() -> of("tcp").on(NetworkDevices.NONE)).isInstanceOf(UcxUnsupportedException.class)
                .hasMessageContaining("tcp").hasMessageContaining("network device");
    }

    @Test
    void devicesOfRdmaThatAreNamedAreTheOnlyOnes() {
        assertThat(of("all").on(new NetworkDevices(Set.of("mlx5_7:1"))).settings())
                .containsEntry("NET_DEVICES", "mlx5_7:1");
    }
}
