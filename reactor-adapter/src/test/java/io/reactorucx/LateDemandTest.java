package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.testsupport.NoLeaks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.test.StepVerifier;

/** A subscriber requests its connection when that has been there for a while, on a thread of its own. */
@ExtendWith(NoLeaks.class)
class LateDemandTest implements NeedsUcx {

    private Peers peers;

    @BeforeEach
    void connect() {
        peers = Peers.connect(Route.POSIX_BY_SOCKET_ADDRESS);
    }

    @AfterEach
    void close() {
        peers.close();
    }

    @Test
    void getsItsConnection() {
        StepVerifier.create(peers.unconnected().connect(), 0).expectSubscription().then(() -> {
            await().atMost(Waits.PATIENCE).until(() -> peers.clientResources().openConnections() == 2);
            Waits.engineOf(peers.client());
        }).thenRequest(1).assertNext(connection -> {
            assertThat(connection.transports()).anyMatch(name -> name.startsWith("posix"));
            connection.disposeNow();
        }).expectComplete().verify(Waits.PATIENCE);
    }
}
