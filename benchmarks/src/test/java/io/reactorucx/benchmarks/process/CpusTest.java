package io.reactorucx.benchmarks.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CpusTest {

    @Test
    void takesWhatIsAskedFor() {
        assertThat(Cpus.of("0-3:4,6")).isEqualTo(new Cpus("0-3", "4,6"));
        assertThat(Cpus.prefix("4,6")).containsExactly("taskset", "-c", "4,6");
    }

    @Test
    void pinsNothingWhenAskedTo() {
        assertThat(Cpus.of("any")).hasToString("not pinned");
        assertThat(Cpus.prefix(Cpus.of("any").client())).isEmpty();
    }

    @Test
    void givesTheSidesDifferentCoresByDefault() {
        Cpus cpus = Cpus.of("");
        assertThat(cpus.server().isEmpty()).isEqualTo(cpus.client().isEmpty());
        if (!cpus.server().isEmpty()) {
            assertThat(cpus.server()).isNotEqualTo(cpus.client());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "0:1:2", "a:b", ":1", "0;1"})
    void refusesOthers(String text) {
        assertThatThrownBy(() -> Cpus.of(text)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--cpus '" + text + "'");
    }
}
