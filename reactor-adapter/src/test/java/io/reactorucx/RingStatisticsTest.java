package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactorucx.core.shm.SharedPages;
import io.reactorucx.metrics.UcxMetrics;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.RingStatistics;
import io.reactorucx.transport.metrics.UcxMeters;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What is counted of rings, and where there are none. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class RingStatisticsTest implements NeedsUcx {

    private static final int ID = 31;
    private static final int MESSAGES = 20;

    private Peers peers;

    @BeforeEach
    void needUcx() {
        assumeUcx();
    }

    @AfterEach
    void close() {
        if (peers != null) {
            peers.close();
        }
    }

    private void talk(Route route, UnaryOperator<UcxResourcesBuilder> settings) {
        peers = Peers.connect(route, settings, UnaryOperator.identity(), UnaryOperator.identity());
        Inbox inbox = Inbox.of(peers.served(), ID);
        for (int size = 1; size <= MESSAGES; size++) {
            peers.client().activeMessages().send(ID, new byte[size]).block(Waits.PATIENCE);
            assertThat(inbox.next().length()).isEqualTo(size);
        }
        inbox.cancel();
    }

    private static RingStatistics of(UcxResources resources) {
        return resources.ringStatistics().stream().reduce(RingStatistics.NONE, RingStatistics::plus);
    }

    @Test
    void recordsOfOneSideAreThoseOfTheOther() {
        talk(Route.RING_BY_SOCKET_ADDRESS, UnaryOperator.identity());

        assertThat(of(peers.clientResources())).satisfies(sent -> {
            assertThat(sent.pairs()).isEqualTo(1);
            assertThat(sent.sentRecords()).isGreaterThanOrEqualTo(MESSAGES);
            assertThat(sent.declinedConnections()).isZero();
        });
        await().atMost(Waits.PATIENCE).untilAsserted(() -> {
            assertThat(of(peers.serverResources()).receivedRecords())
                    .isEqualTo(of(peers.clientResources()).sentRecords());
            assertThat(of(peers.clientResources()).receivedRecords())
                    .isEqualTo(of(peers.serverResources()).sentRecords());
        });
    }

    @Test
    void fillersAtTheEndOfARingAreNoRecords() {
        talk(Route.RING_BY_SOCKET_ADDRESS, UnaryOperator.identity());
        Inbox inbox = Inbox.of(peers.served(), ID);
        for (int i = 0; i < 500; i++) {
            peers.client().activeMessages().send(ID, new byte[5000]).block(Waits.PATIENCE);
            inbox.next();
        }
        inbox.cancel();

        await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(of(peers.serverResources()).receivedRecords())
                .isEqualTo(of(peers.clientResources()).sentRecords()));
    }

    @Test
    void metersShowThem() {
        talk(Route.RING_BY_SOCKET_ADDRESS, UnaryOperator.identity());
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        new UcxMetrics(peers.clientResources()).bindTo(registry);

        assertThat(registry.get(UcxMeters.RINGS.getName()).gauge().value()).isEqualTo(1);
        assertThat(registry.get(UcxMeters.RING_SENT_RECORDS.getName()).functionCounter().count())
                .isGreaterThanOrEqualTo(MESSAGES);
        assertThat(registry.get(UcxMeters.MAPPED_BYTES.getName()).gauge().value()).as("the rings of both sides")
                .isEqualTo(2 * SharedPages.mappedBytes(256 << 10));
    }

    @Test
    void withoutRingsAllIsZero() {
        talk(Route.POSIX_BY_SOCKET_ADDRESS, UnaryOperator.identity());

        assertThat(peers.clientResources().ringStatistics()).containsOnly(RingStatistics.NONE);
    }

    @Test
    void connectionBeyondTheLimitGoesOnWithoutRings() {
        talk(Route.RING_BY_SOCKET_ADDRESS, builder -> builder.maxMappedBytes(0));

        assertThat(of(peers.clientResources())).isEqualTo(new RingStatistics(0, 0, 0, 0, 0, 1));
    }

    @Test
    void otherTransportsAreNoneOfTheDeclined() {
        talk(Route.TCP_BY_SOCKET_ADDRESS, builder -> builder.ringBytes(256 << 10));

        assertThat(of(peers.clientResources())).isEqualTo(RingStatistics.NONE);
    }
}
