package io.reactorucx.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
class TestTimeTest {

    @ParameterizedTest
    @CsvSource({"3, 0, 2, 3", "1.5, 400, 2, 1.5", ", 0.5, 2, 1", ", 12, 2, 6", ", 450, 2, 20", ", -1, 2, 1",
        "' ', 12, 4, 3"})
    void theSettingWinsOverTheLoad(String set, double load, int processors, double slowness) {
        assertThat(TestTime.slowness(set, load, processors)).isEqualTo(slowness);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "0.5", "-1", "1001", "NaN", "fast"})
    void whatIsNoFactorIsRefused(String set) {
        assertThatThrownBy(() -> TestTime.slowness(set, 0, 2)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(TestTime.PROPERTY + " " + set).hasMessageContaining("1 to 1000");
    }

    @Test
    void limitsGrowWithTheFactor() {
        assertThat(TestTime.seconds(20)).isEqualTo(Duration.ofMillis((long) (20_000 * TestTime.slowness())));
        assertThat(TestTime.millis(300)).isEqualTo(Duration.ofMillis((long) (300 * TestTime.slowness())));
    }

    /** Prints its factor. */
    static final class Child {
        public static void main(String[] args) {
            System.out.println("factor " + TestTime.slowness());
        }
    }

    @Test
    void childrenHaveTheSameFactor() {
        assertThat(ChildJvm.of(Child.class).run().output()).contains("factor " + TestTime.slowness());
        assertThat(ChildJvm.of(Child.class).options("-D" + TestTime.PROPERTY + "=7").run().output())
                .contains("factor 7.0");
    }
}
