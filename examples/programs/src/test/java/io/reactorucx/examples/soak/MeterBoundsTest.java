package io.reactorucx.examples.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.examples.soak.Tally.End;
import io.reactorucx.memory.ServedMemoryStatistics.Access;
import io.reactorucx.message.TrafficStatistics.Api;
import io.reactorucx.transport.metrics.UcxMeters;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A sum of the meters that no mix of traffic explains is found, be it too low or too high. */
class MeterBoundsTest {

    private static final int BYTES = 100;

    private final Tallies tallies = new Tallies();
    private final Map<String, Long> here = new HashMap<>();
    private final Map<String, Long> server = new HashMap<>();

    /** Two exchanges of each kind: one was delivered, and one was cancelled, of which the meters count all. */
    MeterBoundsTest() {
        for (String kind : List.of(ActiveMessageTraffic.NAME, MessageTraffic.NAME, RequestTraffic.NAME,
                MemoryTraffic.NAME)) {
            tallies.of(kind).begun();
            tallies.of(kind).begun();
            tallies.of(kind).delivered(BYTES);
            tallies.of(kind).ended(End.CANCELLED);
        }
        for (Map<String, Long> sums : List.of(here, server)) {
            for (Api api : Api.values()) {
                boolean used = api != Api.TAGS && api != Api.STREAMS;
                for (UcxMeters meter : List.of(UcxMeters.SENT_MESSAGES, UcxMeters.RECEIVED_MESSAGES)) {
                    sums.put(MeterSums.name(meter, api), used ? 2L : 0);
                }
                for (UcxMeters meter : List.of(UcxMeters.SENT_BYTES, UcxMeters.RECEIVED_BYTES)) {
                    sums.put(MeterSums.name(meter, api), used ? 2L * BYTES + Long.BYTES : 0);
                }
            }
            for (Access access : Access.values()) {
                for (UcxMeters meter : List.of(UcxMeters.MEMORY_ACCESSES, UcxMeters.SERVED_REQUESTS)) {
                    sums.put(MeterSums.name(meter, access), 2L);
                }
                for (UcxMeters meter : List.of(UcxMeters.MEMORY_ACCESSED, UcxMeters.SERVED_BYTES)) {
                    sums.put(MeterSums.name(meter, access), 2L * BYTES);
                }
            }
            for (MeterSums.Ended ended : MeterSums.Ended.values()) {
                sums.put(MeterSums.name(UcxMeters.REQUESTS, ended), ended == MeterSums.Ended.SUCCESS
                        || ended == MeterSums.Ended.CANCELLED ? 1L : 0);
            }
        }
    }

    private List<String> outside(long questions) {
        Levels hereBefore = new Levels(new HashMap<>(here));
        Levels serverBefore = new Levels(new HashMap<>(server));
        hereBefore.values().replaceAll((name, value) -> 7L);
        serverBefore.values().replaceAll((name, value) -> 7L);
        Levels hereAfter = new Levels(new HashMap<>(here));
        Levels serverAfter = new Levels(new HashMap<>(server));
        hereAfter.values().replaceAll((name, value) -> value + 7);
        serverAfter.values().replaceAll((name, value) -> value + 7);
        return MeterBounds.outside(tallies, questions, new Levels[] {hereBefore, serverBefore},
                new Levels[] {hereAfter, serverAfter});
    }

    @Test
    void sumsBetweenWhatWasDeliveredAndWhatWasBegunAreRight() {
        assertThat(outside(0)).isEmpty();
        here.put(MeterSums.name(UcxMeters.SENT_MESSAGES, Api.MESSAGES), 1L);
        assertThat(outside(0)).as("the cancelled one did not go out").isEmpty();
        here.merge(MeterSums.name(UcxMeters.SENT_MESSAGES, Api.ACTIVE_MESSAGES), 5L, Long::sum);
        assertThat(outside(5)).as("questions are active messages, too").isEmpty();
        assertThat(outside(2)).containsExactly("this process: reactor.ucx.sent.messages active_messages: 7 by the"
                + " meter, at least 1 and at most 6 counted");
    }

    @Test
    void sumBelowWhatWasDeliveredIsFound() {
        server.put(MeterSums.name(UcxMeters.SENT_BYTES, Api.ACTIVE_MESSAGES), 0L);
        assertThat(outside(0)).as("the acknowledgement of an echo may be lost with its connection").isEmpty();
        server.put(MeterSums.name(UcxMeters.RECEIVED_BYTES, Api.MESSAGES), (long) BYTES + Long.BYTES - 1);
        here.put(MeterSums.name(UcxMeters.MEMORY_ACCESSED, Access.GET), BYTES - 1L);
        here.put(MeterSums.name(UcxMeters.REQUESTS, MeterSums.Ended.SUCCESS), 0L);

        assertThat(outside(0)).containsExactlyInAnyOrder(
                "the server: reactor.ucx.received.bytes messages: 107 by the meter, at least 108 counted",
                "this process: reactor.ucx.memory.accessed get: 99 by the meter, at least 100 counted",
                "this process: reactor.ucx.requests.ended success: 0 by the meter, at least 1 and at most 2 counted");
    }

    @Test
    void sumAboveWhatWasBegunIsFound() {
        server.put(MeterSums.name(UcxMeters.SERVED_REQUESTS, Access.PUT), 3L);
        server.put(MeterSums.name(UcxMeters.REQUESTS, MeterSums.Ended.ERROR), 1L);
        here.put(MeterSums.name(UcxMeters.SENT_MESSAGES, Api.TAGS), 1L);

        assertThat(outside(0)).containsExactlyInAnyOrder(
                "the server: reactor.ucx.memory.served.requests put: 3 by the meter, at least 0 and at most 2 counted",
                "the server: reactor.ucx.requests.ended of all outcomes: 3 by the meter, at least 0 and at most 2"
                + " counted",
                "this process: reactor.ucx.sent.messages tags: 1 by the meter, at least 0 and at most 0 counted");
    }
}
