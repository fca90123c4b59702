package io.reactorucx.transport.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.shm.ProcessIdentity;
import io.reactorucx.transport.handshake.HandshakeCounters;
import io.reactorucx.transport.handshake.PeerOrigin;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Sockets that prove nothing make room for others; clients that are admitted connect, each within its share. */
class PendingHandshakesTest {

    private static final PeerOrigin STOPPED = new PeerOrigin(null, new ProcessIdentity(1, 1));
    private static final PeerOrigin OTHER = new PeerOrigin(null, new ProcessIdentity(1, 2));

    private final HandshakeCounters counters = new HandshakeCounters();
    private final PendingHandshakes pending = new PendingHandshakes(2, counters);
    private final List<String> evicted = new ArrayList<>();
    private final List<String> connecting = new ArrayList<>();

    private void add(String handshake) {
        pending.evictIfFull();
        pending.add(handshake, () -> {
            evicted.add(handshake);
            pending.remove(handshake, false);
        });
    }

    private void admit(String handshake, PeerOrigin client) {
        add(handshake);
        pending.admitted(handshake, client, () -> connecting.add(handshake));
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
    void evictsNoAdmittedOneAndStillTakesSockets() {
        admit("a", STOPPED);
        admit("b", STOPPED);
        admit("c", STOPPED);
        add("d");
        add("e");
        assertThat(evicted).isEmpty();
        add("f");
        assertThat(evicted).containsExactly("d");
        assertThat(counters.pending()).isEqualTo(5);
    }

    /** Half of 2. */
    @Test
    void clientConnectsWithinItsShareAndOthersBesideIt() {
        admit("a", STOPPED);
        admit("b", STOPPED);
        admit("c", STOPPED);
        assertThat(connecting).containsExactly("a");

        admit("d", OTHER);

        assertThat(connecting).containsExactly("a", "d");
        pending.remove("d", true);
        assertThat(connecting).as("those of the client that does not go on").containsExactly("a", "d");
    }

    @Test
    void nextOneConnectsWhenOneHasEnded() {
        admit("a", STOPPED);
        admit("b", STOPPED);
        admit("c", STOPPED);
        pending.remove("b", false);
        assertThat(connecting).containsExactly("a");

        pending.remove("a", true);

        assertThat(connecting).containsExactly("a", "c");
        pending.remove("c", true);
        assertThat(counters.pending()).isZero();
        assertThat(counters.failed()).isEqualTo(1);
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
