package io.reactorucx.benchmarks.turns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TurnTakingTest {

    private final List<String> calls = new ArrayList<>();

    /** Writes down what happens to it. */
    private final class Noted implements Contestant {

        private final String name;

        Noted(String name) {
            this.name = name;
        }

        @Override
        public void resume(int cycle) {
            calls.add(name + " runs " + cycle);
        }

        @Override
        public void stop(int cycle) {
            calls.add(name + " stops " + cycle);
        }

        @Override
        public long turnNanos() {
            return 1000;
        }
    }

    @AfterEach
    void isNotInterruptedAnyMore() {
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void letsOneRunAtATime() throws InterruptedException {
        Noted one = new Noted("one");
        Noted other = new Noted("other");
        Map<Noted, List<Turn>> turns = TurnTaking.run(List.of(one, other), 2);

        assertThat(calls).containsExactly("one runs 0", "one stops 0", "other runs 0", "other stops 0", "one runs 1",
                "one stops 1", "other runs 1", "other stops 1");
        assertThat(turns.get(one)).hasSize(2).allSatisfy(turn -> assertThat(turn.nanos()).isGreaterThanOrEqualTo(1000));
        assertThat(turns.get(one).get(1).begin()).isGreaterThan(turns.get(other).get(0).end());
        assertThat(turns.get(one).get(0).contains(turns.get(other).get(0).begin())).isFalse();
    }

    @Test
    void stopsTheOneWhoseTurnItIsWhenInterrupted() {
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> TurnTaking.run(List.of(new Noted("one")), 2))
                .isInstanceOf(InterruptedException.class);
        assertThat(calls).containsExactly("one runs 0", "one stops 0");
    }
}
