package io.reactorucx.benchmarks.rig;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class HostStatesTest {

    @Test
    void namesStatesByTheFastestHop() {
        HostStates host = new HostStates(0);
        host.learn(List.of(10.0, 200.0, 210.0, Double.NaN));
        host.learn(List.of(700.0, 720.0));

        assertThat(host.of(190, 270)).isEqualTo(HostStates.FAST);
        assertThat(host.of(700, 690)).isEqualTo(2);
        assertThat(HostStates.name(host.of(700, 690))).isEqualTo("slow x4");
        assertThat(host.of(200, 700)).isEqualTo(HostStates.CHANGING);
        assertThat(host.of(Double.NaN, Double.NaN)).isEqualTo(HostStates.CHANGING);
        assertThat(HostStates.name(HostStates.CHANGING)).isEqualTo("changing");
    }

    @Test
    void takesTheGivenHop() {
        HostStates host = new HostStates(280);
        host.learn(List.of(90.0, 90.0));

        assertThat(host.of(90, 279)).isEqualTo(HostStates.FAST);
        assertThat(host.of(470, 470)).isEqualTo(1);
        assertThat(new HostStates(0).of(100, 100)).isEqualTo(HostStates.CHANGING);
    }
}
