package io.reactorucx.benchmarks.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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

    /** Processors 0 to N-1, where those of one core are neighbours, half of all apart, or alone. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "1  | alone | '' | ''", "2 | alone | 0 | 1", "2 | neighbours | 0 | 1", "4 | neighbours | 0 | 2",
        "4  | half  | 0 | 1", "7 | alone | 0 | 1", "8 | alone | 0,1 | 2,3", "8 | neighbours | 0,2 | 4,6",
        "12 | half  | 0,1,2 | 3,4,5", "16 | neighbours | 0,2,4,6 | 8,10,12,14", "64 | half | 0,1,2,3 | 4,5,6,7"})
    void givesEachSideAQuarterOnCoresOfItsOwn(int count, String siblings, String server, String client) {
        IntUnaryOperator coreOf = switch (siblings) {
            case "neighbours" -> cpu -> cpu / 2 * 2;
            case "half" -> cpu -> cpu % (count / 2);
            default -> IntUnaryOperator.identity();
        };

        assertThat(Cpus.shares(IntStream.range(0, count).boxed().toList(), coreOf)).isEqualTo(new Cpus(server, client));
    }

    @Test
    void takesOfThisMachineWhatItMayUse() {
        Cpus cpus = Cpus.of("");

        assertThat(cpus.server().isEmpty()).isEqualTo(cpus.client().isEmpty());
        assertThat(cpus.server().isEmpty() || !cpus.server().equals(cpus.client())).isTrue();
    }

    @Test
    void countsTheProcessorsOfAMeasurement() {
        assertThat(Cpus.of("0-3:4,6").counts(true)).isEqualTo("4+2");
        assertThat(Cpus.of("0-3:4,6").counts(false)).isEqualTo("2");
        assertThat(Cpus.of("any").counts(true)).isEqualTo("any");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "0:1:2", "a:b", ":1", "0;1", "-:1", "0-:1", "0,:1"})
    void refusesOthers(String text) {
        assertThatThrownBy(() -> Cpus.of(text)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--cpus '" + text + "'");
    }
}
