package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.message.ActiveMessage;
import io.reactorucx.testsupport.NoLeaks;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Flux;

/** Many connections between the same two engines share one pair of rings. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class RingShareTest implements NeedsUcx {

    private static final int ID = 7;
    private static final int CONNECTIONS = 200;
    private static final int MESSAGES = 50;

    @Test
    void messagesStayApartAndInOrder() {
        try (Peers peers = Peers.connect(Route.RING_BY_SOCKET_ADDRESS)) {
            List<UcxConnection> clients = new ArrayList<>();
            List<Inbox> atServer = new ArrayList<>();
            List<Inbox> atClient = new ArrayList<>();
            List<UcxConnection> served = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                clients.add(peers.connect());
                served.add(peers.nextServed());
                atServer.add(Inbox.of(served.get(i), ID));
                atClient.add(Inbox.of(clients.get(i), ID));
            }
            List<PendingOperation> sending = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                sending.add(PendingOperation.of(stream(clients.get(i), i).then()));
                sending.add(PendingOperation.of(stream(served.get(i), CONNECTIONS + i).then()));
            }
            sending.forEach(PendingOperation::assertDone);

            Set<Integer> senders = new HashSet<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                senders.add(sender(atServer.get(i)));
                senders.add(sender(atClient.get(i)));
            }
            assertThat(senders).as("each has one sender of its own").hasSize(2 * CONNECTIONS);
            assertThat(peers.serverResources().ringStatistics()).allSatisfy(
                    engine -> assertThat(engine.pairs()).as("pairs of rings").isOne());
        }
    }

    /** All by the engine's thread: what that sends overtakes what other threads have submitted. */
    private static Flux<Void> stream(UcxConnection connection, int sender) {
        return Flux.range(0, MESSAGES).flatMap(i -> connection.activeMessages().send(ID,
                ByteBuffer.allocate(8 + (sender + i) % 1500).putInt(sender).putInt(i).array()), 16)
                .subscribeOn(connection.scheduler());
    }

    /** Looks at all messages of an inbox, and returns who has sent them. */
    private static int sender(Inbox inbox) {
        int first = -1;
        for (int i = 0; i < MESSAGES; i++) {
            ActiveMessage message = inbox.next();
            ByteBuffer data = ByteBuffer.wrap(Bytes.array(message.data()));
            int sender = data.getInt();
            first = first == -1 ? sender : first;
            assertThat(sender).isEqualTo(first);
            assertThat(data.getInt()).as("message of %s", sender).isEqualTo(i);
            assertThat(data.capacity()).isEqualTo(8 + (sender + i) % 1500);
        }
        assertThat(inbox.size()).isZero();
        return first;
    }
}
