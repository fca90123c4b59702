package io.reactorucx;

import io.reactorucx.testsupport.NoLeaks;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A handler that sleeps on its engine's thread: not a test, but what {@link NonBlockingTest} has to find. */
@ExtendWith(NoLeaks.class)
class BlockingHandlerCase implements NeedsUcx {

    @Test
    void handlerSleeps() {
        try (Peers peers = Peers.connect(Route.TCP_BY_SOCKET_ADDRESS)) {
            CompletableFuture<Void> handled = new CompletableFuture<>();
            peers.served().activeMessages().receive(1).subscribe(message -> {
                sleep();
                handled.complete(null);
            });
            Waits.engineOf(peers.served());
            peers.client().activeMessages().send(1, new byte[1]).block(Waits.PATIENCE);
            Waits.get(handled);
        }
    }

    private static void sleep() {
        try {
            Thread.sleep(1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
