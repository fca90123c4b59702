package io.reactorucx.rsocket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.UcxResources;
import io.reactorucx.UcxResourcesBuilder;
import io.reactorucx.testsupport.TestTime;
import io.reactorucx.transport.LeakDetection;
import java.time.Duration;

/** The resources of a server and of its clients, as two processes would have them. */
final class TestResources implements AutoCloseable {

    static final Duration LIMIT = TestTime.seconds(20);
    static final String HOST = "127.0.0.1";

    private final UcxResources server;
    private final UcxResources client;

    /** Makes resources with some transports, separated by commas; with UCX's own choice if there are none. */
    TestResources(String transports) {
        server = resources(transports);
        client = resources(transports);
    }

    static UcxResources resources(String transports) {
        UcxResourcesBuilder builder = UcxResources.builder().leakDetection(LeakDetection.PARANOID);
        return transports.isEmpty() ? builder.build() : builder.transports(transports.split(",")).build();
    }

    UcxResources server() {
        return server;
    }

    UcxResources client() {
        return client;
    }

    /** Fails if a connection or a lease is left. */
    void awaitNothingLeft() {
        for (UcxResources each : new UcxResources[] {client, server}) {
            await().atMost(LIMIT).untilAsserted(() -> {
                assertThat(each.openConnections()).as("connections").isZero();
                assertThat(each.buffers().leases()).as("leases").isZero();
            });
        }
    }

    @Override
    public void close() {
        client.disposeNow();
        server.disposeNow();
    }
}
