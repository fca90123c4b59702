package io.reactorucx.transport.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.shm.ProcessIdentity;
import io.reactorucx.transport.handshake.HandshakeCounters;
import io.reactorucx.transport.handshake.PeerOrigin;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SequencedMap;
import java.util.stream.Collectors;
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
        add(pending, handshake, OTHER);
    }

    private void add(PendingHandshakes of, String handshake, PeerOrigin client) {
        of.add(handshake, client, () -> {
            evicted.add(handshake);
            of.remove(handshake, false);
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

    @Test
    void evictsTheOldestOfTheAddressThatHasTheMost() {
        PendingHandshakes four = new PendingHandshakes(4, counters);
        add(four, "honest", OTHER);
        for (int i = 0; i < 100; i++) {
            add(four, "flood " + i, STOPPED);
        }
        assertThat(evicted).hasSize(97).startsWith("flood 0", "flood 1").endsWith("flood 96");
        add(four, "second", OTHER);
        assertThat(evicted.getLast()).isEqualTo("flood 97");
    }

    /** With the new one its address has the most, although it had as many as the other one. */
    @Test
    void newOneCountsForItsAddress() {
        add(pending, "honest", OTHER);
        add(pending, "flood 0", STOPPED);

        add(pending, "flood 1", STOPPED);

        assertThat(evicted).containsExactly("flood 0");
    }

    @Test
    void evictsTheOldestOfAllAmongAddressesThatHaveAsMany() {
        PendingHandshakes four = new PendingHandshakes(4, counters);
        add(four, "a", OTHER);
        add(four, "b", STOPPED);
        add(four, "c", STOPPED);
        add(four, "d", OTHER);

        add(four, "e", PeerOrigin.UNKNOWN);

        assertThat(evicted).containsExactly("a");
    }

    @Test
    void neitherThoseThatHaveEndedCountNorThoseThatAreAdmitted() {
        PendingHandshakes four = new PendingHandshakes(4, counters);
        add(four, "ends", OTHER);
        add(four, "is admitted", OTHER);
        four.remove("ends", false);
        four.admitted("is admitted", OTHER, () -> connecting.add("is admitted"));
        add(four, "a", OTHER);
        add(four, "b", STOPPED);
        add(four, "c", STOPPED);
        add(four, "d", OTHER);

        add(four, "e", STOPPED);

        assertThat(evicted).containsExactly("b");
    }

    /** Against the rule, said plainly. */
    @Test
    void evictsByTheRuleInAnyOrder() {
        Random random = new Random(1);
        int limit = 7;
        PendingHandshakes many = new PendingHandshakes(limit, counters);
        SequencedMap<String, PeerOrigin> model = new LinkedHashMap<>();
        for (int i = 0; i < 5000; i++) {
            String name = "" + i;
            PeerOrigin client = new PeerOrigin(null, new ProcessIdentity(1, random.nextInt(4)));
            evicted.clear();
            add(many, name, client);
            model.put(name, client);
            List<String> expected = List.of();
            if (model.size() > limit) {
                Map<PeerOrigin, Long> counts = model.values().stream()
                        .collect(Collectors.groupingBy(each -> each, Collectors.counting()));
                long most = Collections.max(counts.values());
                expected = model.keySet().stream().filter(each -> counts.get(model.get(each)) == most).limit(1)
                        .toList();
            }
            assertThat(evicted).as("handshake %d", i).isEqualTo(expected);
            model.keySet().removeAll(expected);
            if (random.nextInt(4) == 0) {
                String ended = List.copyOf(model.keySet()).get(random.nextInt(model.size()));
                many.remove(ended, true);
                model.remove(ended);
            }
        }
    }
}
