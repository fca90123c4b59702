package io.reactorucx.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.core.setting.UcxTransportList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the probe says of names of transports, also of those that only help others to connect. */
class UcxProbeTest {

    @Test
    void takesNoPartOfTheSyntaxForAName() {
        assertThat(UcxProbe.unknown(List.of("rc", "tcp:aux", "\\posix", "shm", "TCP")))
                .containsExactly("posix", "TCP", "tcp");
    }

    @ParameterizedTest
    @CsvSource({"'self,tcp:aux', 'self/memory,tcp/lo'", "'cma,self', 'cma/memory,self/memory'",
        "'self,\\tcp:aux', 'self/memory,tcp/lo'"})
    void refusesTransportsByWhichNothingConnects(String set, String found) {
        assertThatThrownBy(() -> UcxProbe.requirePeers(UcxTransportList.of(set), List.of(found.split(","))))
                .isInstanceOf(UcxUnsupportedException.class).hasMessageContaining("nothing can connect");
    }

    @ParameterizedTest
    @CsvSource({"'self,tcp', 'self/memory,tcp/lo'", "'posix,tcp:aux', 'posix/memory,tcp/lo'",
        "'tcp,tcp:aux', 'tcp/lo'", "^posix, 'self/memory,tcp/lo'"})
    void takesTransportsByWhichPeersConnect(String set, String found) {
        assertThatCode(() -> UcxProbe.requirePeers(UcxTransportList.of(set), List.of(found.split(","))))
                .doesNotThrowAnyException();
    }
}
