package io.reactorucx.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class EngineConfigTest {

    private static final EngineConfig DEFAULTS = EngineConfig.of("engine");

    private static EngineConfig with(int queueCapacity, int perStep, int spins, int yields, Duration maxSleep) {
        return new EngineConfig("engine", WaitStrategy.EVENT, queueCapacity, perStep, spins, yields, maxSleep,
                Duration.ZERO, 1, 1, 1);
    }

    private static void assertRefused(Runnable making, String what) {
        assertThatIllegalArgumentException().isThrownBy(making::run).withMessageContaining(what);
    }

    @Test
    void sleepsAdaptivelyByDefault() {
        assertThat(DEFAULTS.waitStrategy()).isEqualTo(WaitStrategy.ADAPTIVE);
        assertThat(DEFAULTS.commandQueueCapacity()).isEqualTo(EngineConfig.DEFAULT_COMMAND_QUEUE_CAPACITY);
    }

    @Test
    void changesOnlyWhatItIsAskedTo() {
        EngineConfig changed = DEFAULTS.withWaitStrategy(WaitStrategy.BUSY_SPIN).withLimits(4, 5)
                .withCloseTimeout(Duration.ofSeconds(6)).withIdleRounds(7, 8);
        assertThat(changed.waitStrategy()).isEqualTo(WaitStrategy.BUSY_SPIN);
        assertThat(changed.commandQueueCapacity()).isEqualTo(4);
        assertThat(changed.maxInFlight()).isEqualTo(5);
        assertThat(changed.closeTimeout()).isEqualTo(Duration.ofSeconds(6));
        assertThat(changed.spins()).isEqualTo(7);
        assertThat(changed.yields()).isEqualTo(8);
        assertThat(changed.withWaitStrategy(WaitStrategy.ADAPTIVE)
                .withLimits(DEFAULTS.commandQueueCapacity(), DEFAULTS.maxInFlight())
                .withCloseTimeout(DEFAULTS.closeTimeout()).withIdleRounds(DEFAULTS.spins(), DEFAULTS.yields()))
                .isEqualTo(DEFAULTS);
    }

    @Test
    void refusesWhatIsOutOfRange() {
        assertRefused(() -> with(1, 1, 0, 0, Duration.ofMillis(1)), "commandQueueCapacity 1");
        assertRefused(() -> with((1 << 24) + 1, 1, 0, 0, Duration.ofMillis(1)), "commandQueueCapacity");
        assertRefused(() -> with(2, 0, 0, 0, Duration.ofMillis(1)), "commandsPerStep 0");
        assertRefused(() -> with(2, 1, -1, 0, Duration.ofMillis(1)), "spins -1");
        assertRefused(() -> with(2, 1, 0, -1, Duration.ofMillis(1)), "yields -1");
        assertRefused(() -> with(2, 1, 0, 0, Duration.ofNanos(999_999)), "maxSleep");
        assertRefused(() -> DEFAULTS.withCloseTimeout(Duration.ofNanos(-1)), "closeTimeout");
        assertRefused(() -> DEFAULTS.withLimits(2, 0), "maxInFlight 0");
        assertRefused(() -> DEFAULTS.withLimits(2, (1 << 20) + 1), "maxInFlight 1048577");
        assertRefused(() -> EngineConfig.of("a name with 25 characters"), "24 characters");
    }

    @Test
    void takesTheSmallestAndTheLongestName() {
        assertThat(with(2, 1, 0, 0, Duration.ofMillis(1)).commandQueueCapacity()).isEqualTo(2);
        assertThat(EngineConfig.of("a name of 24 characters.").workerConfig(123_456).name())
                .isEqualTo("a name of 24 characters.-123456");
    }

    @Test
    void refusesNull() {
        assertThatNullPointerException().isThrownBy(() -> DEFAULTS.withWaitStrategy(null));
        assertThatNullPointerException().isThrownBy(() -> EngineConfig.of(null));
    }
}
