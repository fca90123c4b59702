package io.reactorucx.internal.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.internal.handshake.HandshakeCounters;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Sockets that prove nothing make room for others; authenticated ones keep their place. */
class PendingHandshakesTest {

    private final HandshakeCounters counters = new HandshakeCounters();
    private final PendingHandshakes pending = new PendingHandshakes(2, counters);
    private final List<String> evicted = new ArrayList<>();

    private void add(String handshake) {
        pending.evictIfFull();
        pending.add(handshake, () -> {
            evicted.add(handshake);
            pending.remove(handshake, false);
        });
    }

    @Test
    void evictsTheOldestAtTheLimitAndNotBefore() {
        assertThat(pending.limit()).isEqualTo(2);
        add("a");
        add("b");
        assertThat(evicted).isEmpty();
        add("c");
        assertThat(evicted).containsExactly("a");
        add("d");
        assertThat(evicted).containsExactly("a", "b");
        assertThat(counters.pending()).isEqualTo(2);
        assertThat(counters.failed()).isEqualTo(2);
    }

    @Test
    void evictsNoAuthenticatedOne() {
        add("a");
        add("b");
        pending.authenticated("a");
        assertThat(pending.hasCapacity()).isTrue();
        add("c");
        assertThat(evicted).containsExactly("b");
        pending.authenticated("c");
        assertThat(pending.hasCapacity()).as("with authenticated ones alone").isFalse();
        pending.evictIfFull();
        assertThat(evicted).containsExactly("b");
    }

    @Test
    void hasCapacityBelowTheLimitWhoeverIsThere() {
        assertThat(pending.hasCapacity()).isTrue();
        add("a");
        pending.authenticated("a");
        assertThat(pending.hasCapacity()).isTrue();
        add("b");
        pending.authenticated("b");
        assertThat(pending.hasCapacity()).isFalse();
    }

    @Test
    void callsTheAcceptorWhenThereIsRoomAgain() {
        List<Integer> calls = new ArrayList<>();
        pending.onCapacity(() -> calls.add(counters.pending()));
        add("a");
        add("b");
        assertThat(calls).isEmpty();
        pending.remove("a", true);
        assertThat(calls).as("pending handshakes at each call").containsExactly(1);
        pending.remove("b", true);
        assertThat(calls).as("no second call: the acceptor runs already").hasSize(1);
        assertThat(counters.failed()).isZero();
        assertThat(counters.pending()).isZero();
    }

    @Test
    void doesNotEvictWhatHasEnded() {
        add("a");
        add("b");
        pending.remove("a", true);
        add("c");
        assertThat(evicted).isEmpty();
        add("d");
        assertThat(evicted).containsExactly("b");
    }
}
