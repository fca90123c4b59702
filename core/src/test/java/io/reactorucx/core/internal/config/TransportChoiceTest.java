package io.reactorucx.core.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.core.ConfigPrint;
import io.reactorucx.core.UcpConfig;
import io.reactorucx.core.UcpContext;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.core.internal.NativeEnvironment;
import io.reactorucx.testsupport.ChildJvm;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the settings of transports and devices leave to UCX. */
@Tag("slow")
class TransportChoiceTest {

    private static TransportChoice of(String transports) {
        return new TransportChoice(transports, "all");
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "posix,tcp", "tcp,self", "sysv,\\tcp", "sm,cma", "tcp:aux,self"})
    void knowsTransportsWithoutRdma(String transports) {
        assertThat(of(transports).mayUseRdma()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"all", "rc,tcp", "^posix", "ib", "tcp,cuda_copy", "^tcp,ib", "rc_verbs,tcp:aux",
        "tcp,ud_verbs:aux"})
    void takesOtherTransportsForOnesOfRdma(String transports) {
        assertThat(of(transports).mayUseRdma()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"tcp | all | true", "all | all | true", "all | eth0 | true",
        "all | mlx5_0:1 | false", "all | mlx5_0:1,eth0 | true", "rc_v,tcp:aux | all | false", "^tcp | all | false",
        "ud_v | all | false", "rc_v,tcp | rxe0:1 | false"})
    void knowsWhetherMessagesMayGoOverTcp(String transports, String devices, boolean expected) {
        assertThat(new TransportChoice(transports, devices).tcpCarries()).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"rc_verbs | ud_verbs:aux", "rc_mlx5 | ud_mlx5:aux",
        "\\rc_verbs | ud_verbs:aux", "rc_verbs,rc_mlx5 | ud_verbs:aux,ud_mlx5:aux", "rc_verbs,posix | ud_verbs:aux",
        "rc_verbs,ud_x | ud_verbs:aux", "rc_mlx5,ud_v | ud_mlx5:aux", "rc_verbs,rc_x | ud_verbs:aux",
        "rc_verbs,tcp | ud_verbs:aux", "rc_verbs,tcp:aux | ud_verbs:aux", "posix,rc_mlx5,self | ud_mlx5:aux"})
    void addsWhatConnectsReliableConnections(String transports, String missing) {
        assertThat(of(transports).missing(false)).isEqualTo(missing);
    }

    @ParameterizedTest
    @ValueSource(strings = {"all", "tcp", "posix,self", "rc", "rc_v", "rc_x", "ib", "ud", "ud_v", "ud_verbs", "dc_mlx5",
        "rc_verbs,ud_verbs", "rc_verbs,ud_verbs:aux", "rc_verbs,\\ud_verbs:aux", "rc_verbs,ud", "rc_mlx5,dc",
        "rc_verbs,rc_mlx5,ud:aux", "rc_verbs:aux,ud_v", "^rc_mlx5", "^rc_verbs", "^ud_verbs"})
    void leavesListsThatConnectAsTheyAre(String transports) {
        assertThat(of(transports).missing(false)).isEmpty();
        assertThat(of(transports).missing(true)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"rc_verbs,tcp | all | ''", "rc_verbs,tcp:aux | all | ''",
        "rc_verbs,tcp:aux | rxe0:1,eth0 | ''", "rc_verbs,tcp | rxe0:1 | ud_verbs:aux",
        "rc_verbs | all | ud_verbs:aux"})
    void takesTcpInsteadWhereUcxDoesAndItHasADevice(String transports, String devices, String missing) {
        assertThat(new TransportChoice(transports, devices).missing(true)).isEqualTo(missing);
    }

    @Test
    void completesWhatUcxReadsFromSettingsAndTheEnvironment() {
        UcpConfig named = UcpConfig.builder().transports("rc_verbs", "posix").build();
        assertThat(named.print(ConfigPrint.CONFIG)).contains("UCX_TLS=rc_verbs,posix,ud_verbs:aux");
        assertThat(named.settings()).containsEntry("TLS", "rc_verbs,posix");
        UcpConfig silent = UcpConfig.builder().environmentPrefix("RUTEST").build();
        assertThat(NativeEnvironment.with(Map.of("RUTEST_UCX_TLS", "self,rc_mlx5"),
                () -> silent.print(ConfigPrint.CONFIG))).contains("UCX_TLS=self,rc_mlx5,ud_mlx5:aux");
        assertThat(UcpConfig.builder().transports("rc_v").build().print(ConfigPrint.CONFIG))
                .containsPattern("(?m)^UCX_TLS=rc_v$");
    }

    /** Makes contexts whose transports lack something. */
    static final class IncompleteContexts {

        private IncompleteContexts() {
        }

        public static void main(String[] args) {
            for (String name : new String[] {"first", "second"}) {
                UcpContext.create(UcpConfig.builder().name(name).transports("rc_verbs", "posix").build()).close();
            }
            UcpContext.create(UcpConfig.builder().name("third").transports("posix").build()).close();
        }
    }

    @Test
    void saysOnceWhatIsAddedAndWhy() {
        ChildJvm.Result result = ChildJvm.of(IncompleteContexts.class).withoutEnvironment("UCX_TLS")
                .options("-Dorg.slf4j.simpleLogger.log.io.reactorucx=info").run();
        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(result.output()).containsOnlyOnce("are completed by").contains("[first] the transports"
                + " rc_verbs,posix are completed by ud_verbs:aux: RDMA's reliable connections");
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp:aux", "tcp:aux,ud_verbs:aux"})
    void refusesTransportsThatOnlyHelp(String transports) {
        UcpConfig config = UcpConfig.builder().setting("TLS", transports).build();
        assertThatThrownBy(() -> UcpContext.create(config)).isInstanceOf(UcxUnsupportedException.class)
                .hasMessageContaining(transports).hasMessageContaining("only helps others to connect");
    }
}
