package io.reactorucx.internal.ucp;

import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcxClosedException;
import io.reactorucx.core.UcxException;
import io.reactorucx.internal.buffer.LeakReporter;
import io.reactorucx.internal.connection.ConnectionCore;
import io.reactorucx.internal.connection.ConnectionPhase;
import io.reactorucx.internal.connection.ProtocolHandler;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.message.DropReason;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * The application's active messages on one connection: its receivers, and the offers of data that it has not fetched.
 *
 * <p>Thread: engine, except where a method says otherwise.
 */
public final class ActiveMessageProtocol implements ProtocolHandler {

    private final ConnectionCore connection;
    private final ActiveMessageRouter router;
    private final ActiveMessageReceivers receivers = new ActiveMessageReceivers();
    private final OpenOffers offers = new OpenOffers();

    ActiveMessageProtocol(ConnectionCore connection, ActiveMessageRouter router) {
        this.connection = connection;
        this.router = router;
    }

    /** Returns the messages of an id, for one subscriber at a time. Thread: any. */
    public Flux<ActiveMessage> receive(int id) {
        return ActiveMessageReceiver.flux(this, id);
    }

    /** Registers a receiver, or ends it at once where nothing will come; returns whether the id was free. */
    boolean add(ActiveMessageReceiver receiver) {
        ConnectionPhase phase = connection.phase();
        if (!phase.isConnected()) {
            receiver.end(phase == ConnectionPhase.PEER_FINISHED || phase == ConnectionPhase.PEER_ACKNOWLEDGED ? null
                    : new UcxClosedException("receive", connection.peer(), "the connection is closed"));
            return true;
        }
        if (!receivers.add(receiver)) {
            return false;
        }
        router.receive(receiver.id());
        return true;
    }

    void remove(ActiveMessageReceiver receiver) {
        receivers.remove(receiver);
    }

    /** Returns whether an id has a receiver. */
    public boolean receives(int id) {
        return receivers.has(id);
    }

    /** Hands a message to the receiver of its id; returns why it was dropped, null when it was not. */
    @Nullable DropReason offer(UcpActiveMessage message) {
        return receivers.offer(message);
    }

    /** Offers of data that the application has not fetched. */
    public OpenOffers offers() {
        return offers;
    }

    /** Gives an offer up that will not be fetched. */
    void release(RendezvousOffer offer) {
        offers.release(offer, connection.registry().worker());
        connection.operationEnded();
    }

    /** The connection that the messages come over. Thread: any. */
    public ConnectionCore connection() {
        return connection;
    }

    /** Reports lost offers. Thread: any. */
    public LeakReporter leaks() {
        return router.leaks();
    }

    @Override
    public void endReceivers(@Nullable UcxException loss) {
        receivers.end(loss);
    }

    @Override
    public boolean isConsumed() {
        return offers.isEmpty();
    }

    @Override
    public void abandonOffers() {
        offers.releaseAll(connection.registry().worker());
    }

    @Override
    public boolean isDelivered() {
        return receivers.isEmpty();
    }

    @Override
    public void abandon(RuntimeException cause) {
        receivers.abandon(cause);
    }
}
