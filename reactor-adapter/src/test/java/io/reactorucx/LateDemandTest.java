package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.testsupport.NoLeaks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Sinks;

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
        Sinks.One<UcxConnection> connected = Sinks.one();
        BaseSubscriber<UcxConnection> subscriber = new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                // The test requests.
            }

            @Override
            protected void hookOnNext(UcxConnection connection) {
                connected.tryEmitValue(connection);
            }

            @Override
            protected void hookOnError(Throwable error) {
                connected.tryEmitError(error);
            }
        };
        peers.unconnected().connect().subscribe(subscriber);
        await().atMost(Waits.PATIENCE).until(() -> peers.clientResources().openConnections() == 2);
        Waits.engineOf(peers.client());

        subscriber.request(1);

        UcxConnection connection = connected.asMono().block(Waits.PATIENCE);
        assertThat(connection.transports()).anyMatch(name -> name.startsWith("posix"));
        connection.disposeNow();
    }
}
