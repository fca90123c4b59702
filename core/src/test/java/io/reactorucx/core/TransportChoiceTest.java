package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the settings of transports and devices leave to UCX. */
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
}
