package io.reactorucx.transport.handshake;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whoever is refused again and again does not fill the log. */
class RejectionLogTest {

    private static final HandshakeFailure FAILURE = new HandshakeFailure(HandshakeFailure.Kind.AUTHENTICATION,
            new Rejection("the proof is wrong"), null);

    private final List<String> told = new ArrayList<>();
    private long now = Long.MAX_VALUE - 5;
    private final RejectionLog log = new RejectionLog(told::add, () -> now);

    @Test
    void atMostOneOfASecondIsToldAndTheOthersAreCounted() {
        for (int i = 0; i < 1000; i++) {
            log.rejected("peer " + i, FAILURE);
        }
        assertThat(told).containsExactly("[peer 0] handshake rejected, AUTHENTICATION: the proof is wrong");

        now += 1_000_000_000;
        log.rejected("another", FAILURE);
        log.rejected("one more", FAILURE);
        assertThat(told).hasSize(2);
        assertThat(told.getLast()).startsWith("[another]").endsWith("; 999 more since the last warning");
    }
}
