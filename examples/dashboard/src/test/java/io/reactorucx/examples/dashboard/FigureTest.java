package io.reactorucx.examples.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What counts as a figure of the page. */
class FigureTest {

    private final MeterRegistry registry = new SimpleMeterRegistry();

    private void call(String outcome) {
        registry.timer("http.client.requests", "outcome", outcome, "method", "GET").record(Duration.ofMillis(1));
    }

    @Test
    void callsThatFailAreNoHttpCalls() {
        call("SUCCESS");
        call("UNKNOWN");
        call("SERVER_ERROR");

        assertThat(Figure.HTTP_CALLS.in(registry)).isEqualTo(1);
    }
}
