package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** What resources hold when a peer is gone: nothing, and then they close. */
final class ResourceAssertions {

    private ResourceAssertions() {
    }

    static void in(UcxResources resources) {
        await().atMost(Waits.PATIENCE).untilAsserted(() -> {
            assertThat(resources.buffers().leases()).as("leases").isZero();
            assertThat(resources.openConnections()).as("connections").isZero();
            assertThat(resources.engines().getFirst().counters().inFlight()).as("operations in flight").isZero();
            assertThat(resources.engines().getFirst().counters().heldMessages()).as("held messages").isZero();
        });
        resources.disposeNow();
        assertThat(resources.context().isClosed()).isTrue();
    }
}
