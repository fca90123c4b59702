package io.reactorucx.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ParkingStateTest {

    private final ParkingState state = new ParkingState();

    @Test
    void parksUnlessWoken() {
        assertThat(state.park()).isTrue();
        state.unpark();
        assertThat(state.park()).isTrue();
    }

    @Test
    void asksForNoSignalWhenAwake() {
        assertThat(state.wakeIfParked()).isFalse();
        assertThat(state.wake()).isFalse();
    }

    @Test
    void asksForOneSignalWhenBurstFindsItParked() {
        state.park();
        assertThat(state.wakeIfParked()).isTrue();
        assertThat(state.wakeIfParked()).isFalse();
        assertThat(state.wake()).isFalse();
        assertThat(state.wakeIfParked()).isFalse();
    }

    @Test
    void asksForOneSignalWhenWokenWhileParked() {
        state.park();
        assertThat(state.wake()).isTrue();
        assertThat(state.wake()).isFalse();
        assertThat(state.wakeIfParked()).isFalse();
    }

    @Test
    void asksForSignalAgainWhenParkedAgain() {
        state.park();
        assertThat(state.wakeIfParked()).isTrue();
        state.unpark();
        assertThat(state.wakeIfParked()).isFalse();
        assertThat(state.park()).isTrue();
        assertThat(state.wakeIfParked()).isTrue();
        state.unpark();
        assertThat(state.park()).isTrue();
        assertThat(state.wake()).isTrue();
    }

    @Test
    void skipsOneParkWhenWokenWhileAwake() {
        state.wake();
        state.wake();
        assertThat(state.park()).isFalse();
        assertThat(state.park()).isTrue();
    }

    @Test
    void asksForNoSignalWhenWakeUpAlreadyWaits() {
        state.wake();
        assertThat(state.wakeIfParked()).isFalse();
        assertThat(state.wake()).isFalse();
        assertThat(state.park()).isFalse();
        assertThat(state.wakeIfParked()).as("after the skipped park it is awake").isFalse();
        assertThat(state.park()).as("a queued command, unlike a wake-up, is not remembered here").isTrue();
    }

    @Test
    void parksAgainWhenSleepEndedByCommand() {
        state.park();
        state.wakeIfParked();
        state.unpark();
        assertThat(state.park()).isTrue();
    }

    @Test
    void parksAgainWhenSleepEndedByWakeUp() {
        state.park();
        state.wake();
        state.unpark();
        assertThat(state.park()).isTrue();
    }
}
