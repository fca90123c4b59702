package io.reactorucx.internal.ucp;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.AmSendFlag;
import io.reactorucx.core.Completion;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpData;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.internal.counter.ProtocolCounters;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.transport.DropReason;
import io.reactorucx.transport.buffer.LeakReporter;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.connection.ConnectionPhase;
import io.reactorucx.transport.connection.ProtocolHandler;
import io.reactorucx.transport.frame.ApplicationHeader;
import io.reactorucx.transport.frame.ReservedMessageIds;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * The application's active messages on one connection: its receivers, and the offers of data that it has not fetched.
 *
 * <p>Thread: engine, except where a method says otherwise.
 */
public final class ActiveMessageProtocol implements ProtocolHandler {

    /** A payload up to this size is copied when it is posted, and is no rendezvous. */
    private static final int COPIED_BYTES = 64;
    /**
     * A larger payload stays with its sender until the receiver wants it. UCX 1.16 and newer would send any size at
     * once over tcp and shared memory: it would fill the receiver's memory without demand, and the sender would see
     * success for a message that the receiver drops.
     */
    private static final int MAX_EAGER_BYTES = 8 << 10;

    private final ConnectionCore connection;
    private final ProtocolCounters counts;
    private final LeakReporter leaks;
    private final IntConsumer route;
    private final ActiveMessageReceivers receivers = new ActiveMessageReceivers();
    private final OpenOffers offers;
    private final UnclaimedMessages unclaimed;
    private final RefusableSends sends = new RefusableSends();
    private int messagesSent;
    private int messagesReceived;

    /**
     * Creates the protocol of a connection.
     *
     * @param route makes UCX deliver an id of raw peers
     */
    ActiveMessageProtocol(ConnectionCore connection, ProtocolCounters counts, LeakReporter leaks, IntConsumer route) {
        this.connection = connection;
        this.counts = counts;
        this.leaks = leaks;
        this.route = route;
        this.offers = new OpenOffers(counts);
        this.unclaimed = new UnclaimedMessages(connection);
    }

    private boolean isRaw() {
        return connection.config().raw();
    }

    /** Sends a message as {@link UcpEndpoint#amSend} does: under its own id to a raw peer, else under the reserved. */
    public boolean send(UcpEndpoint endpoint, int id, MemorySegment header, MemorySegment payload,
            @Nullable UcpMemory registration, AmProtocol protocol, Completion whenDone) {
        if (isRaw()) {
            return endpoint.amSend(id, header, payload, registration, protocol, true, whenDone);
        }
        boolean offered = protocol == AmProtocol.AUTO && isLarge(payload.byteSize());
        AmProtocol way = offered ? AmProtocol.RENDEZVOUS : protocol;
        if (way == AmProtocol.EAGER || way == AmProtocol.AUTO && payload.byteSize() <= COPIED_BYTES) {
            MemorySegment framed = connection.applicationHeader(id, RefusableSends.NONE, header);
            connection.applicationSends(framed, payload);
            if (isLarge(payload.byteSize()) && !connection.carrier().isEncrypted()) {
                // The receiver's UCX keeps it until it is fetched.
                return taken(endpoint.amSend(ReservedMessageIds.APPLICATION, framed, payload, registration, way, true,
                        whenDone));
            }
            return taken(connection.carrier().send(ReservedMessageIds.APPLICATION, framed, payload, registration, way,
                    whenDone));
        }
        RefusableSends.RefusableSend send = sends.begin(whenDone);
        MemorySegment framed = connection.applicationHeader(id, send.number(), header);
        connection.applicationSends(framed, payload);
        boolean completed = !connection.largeMessages().offer(ReservedMessageIds.APPLICATION, framed, payload,
                registration, send)
                && connection.carrier().send(ReservedMessageIds.APPLICATION, framed, payload, registration, way, send);
        return sends.posted(send, taken(completed));
    }

    private static boolean isLarge(long bytes) {
        return bytes > MAX_EAGER_BYTES;
    }

    /** UCX has taken a message. */
    private boolean taken(boolean done) {
        messagesSent++;
        return done;
    }

    /** Sends a message of several segments, as the other method does one of one segment; few bytes are copied. */
    public boolean send(UcpEndpoint endpoint, int id, MemorySegment header, UcpData payload, Completion whenDone) {
        if (isRaw()) {
            return endpoint.dataOperations().amSend(id, header, payload, Set.of(AmSendFlag.REPLY), Set.of(), whenDone)
                    .isImmediate();
        }
        if (!isLarge(payload.byteSize())) {
            return send(endpoint, id, header, payload.copied(), null, AmProtocol.EAGER, whenDone);
        }
        if (connection.carrier().isEncrypted()) {
            return send(endpoint, id, header, payload.copied(), null, AmProtocol.AUTO, whenDone);
        }
        RefusableSends.RefusableSend send = sends.begin(whenDone);
        return sends.posted(send, taken(endpoint.dataOperations().amSend(ReservedMessageIds.APPLICATION,
                connection.applicationHeader(id, send.number(), header), payload,
                Set.of(AmSendFlag.REPLY, AmSendFlag.RENDEZVOUS), Set.of(), send).isImmediate()));
    }

    @Override
    public int messagesSent() {
        return messagesSent;
    }

    @Override
    public int messagesReceived() {
        return messagesReceived;
    }

    @Override
    public void refused(int messageNumber) {
        sends.refused(messageNumber);
    }

    /** Takes a message of a framework peer. */
    @Override
    public void received(UcpActiveMessage message) {
        if (!ApplicationHeader.isValid(message)) {
            connection.registry().dropGarbage(message);
            return;
        }
        messagesReceived++;
        int id = ApplicationHeader.id(message);
        ActiveMessageReceiver receiver = receivers.of(id);
        DropReason refusal = receiver == null ? await(message, id) : receiver.offer(message);
        if (refusal != null) {
            boolean chosen = refusal != DropReason.NO_RECEIVER && refusal != DropReason.OVERFLOW_ERROR;
            if (message.isRendezvous() && !chosen) {
                connection.refuse(ApplicationHeader.number(message));
            }
            connection.registry().drop(message, refusal);
        }
    }

    /** Counts a message that its receiver gets, now or later. Data that waits is counted when it is fetched. */
    void countReceived(UcpActiveMessage message) {
        counts.activeMessages().received(1, message.isInline() ? message.length() : 0);
    }

    private @Nullable DropReason await(UcpActiveMessage message, int id) {
        DropReason refusal = connection.phase().isConnected()
                ? unclaimed.admit(id, message.isRendezvous(), message.length()) : DropReason.NO_RECEIVER;
        if (refusal == null) {
            countReceived(message);
            unclaimed.add(ReceivedMessage.of(this, message, id, null));
        }
        return refusal;
    }

    /** Returns the application's header of a message. */
    MemorySegment headerOf(UcpActiveMessage message) {
        MemorySegment header = message.header();
        return isRaw() ? header : header.asSlice(ApplicationHeader.BYTES);
    }

    /** Returns whether a message has a header of the application's. */
    boolean hasHeader(UcpActiveMessage message) {
        return message.headerBytes() > (isRaw() ? 0 : ApplicationHeader.BYTES);
    }

    /** Returns the messages of an id, for one subscriber at a time. Thread: any. */
    public Flux<ActiveMessage> receive(int id) {
        return ActiveMessageReceiver.flux(this, id);
    }

    /** Registers a receiver, or ends it at once where nothing will come; returns whether the id was free. */
    boolean add(ActiveMessageReceiver receiver) {
        ConnectionPhase phase = connection.phase();
        if (!phase.isConnected()) {
            UcxException overflow = unclaimed.claim(receiver.id(), receiver.waiting());
            boolean completed = phase == ConnectionPhase.PEER_FINISHED || phase == ConnectionPhase.PEER_ACKNOWLEDGED;
            receiver.end(overflow != null || completed ? overflow
                    : new UcxClosedException("receive", connection.peer(), "the connection is closed"));
            return true;
        }
        if (!receivers.add(receiver)) {
            return false;
        }
        if (isRaw()) {
            route.accept(receiver.id());
        } else {
            receiver.claimed(unclaimed.claim(receiver.id(), receiver.waiting()));
        }
        return true;
    }

    void remove(ActiveMessageReceiver receiver) {
        receivers.remove(receiver);
    }

    /** Returns whether an id has a receiver. */
    public boolean receives(int id) {
        return receivers.of(id) != null;
    }

    /** Hands a message to the receiver of its id; returns why it was dropped, null when it was not. */
    @Nullable DropReason offer(UcpActiveMessage message, int id) {
        ActiveMessageReceiver receiver = receivers.of(id);
        return receiver == null ? DropReason.NO_RECEIVER : receiver.offer(message);
    }

    /** Offers of data that the application has not fetched. */
    public OpenOffers offers() {
        return offers;
    }

    /** Gives an offer up that was not fetched, and not because the application wants that, and tells its sender. */
    void refuse(RendezvousOffer offer) {
        UcpActiveMessage message = offer.message();
        UcpWorker worker = connection.registry().worker();
        if (!isRaw() && message.isRendezvous() && !worker.isClosed() && worker.activeMessages().holds(message)) {
            connection.refuse(ApplicationHeader.number(message));
        }
        offers.release(offer, worker);
    }

    /** The connection that the messages come over. Thread: any. */
    public ConnectionCore connection() {
        return connection;
    }

    /** Reports lost offers. Thread: any. */
    public LeakReporter leaks() {
        return leaks;
    }

    @Override
    public void endReceivers(@Nullable UcxException loss) {
        receivers.end(loss);
    }

    /** The peer waits until this side has taken or given up all that it has sent. */
    @Override
    public void peerFinished() {
        unclaimed.dropOffers();
    }

    @Override
    public void closing() {
        unclaimed.dropOffers();
    }

    @Override
    public void ended(@Nullable UcxException loss) {
        unclaimed.drop();
    }

    @Override
    public boolean isConsumed() {
        return offers.isEmpty();
    }

    @Override
    public void abandonOffers() {
        for (RendezvousOffer offer : offers.all()) {
            offer.take();
            refuse(offer);
        }
    }

    @Override
    public boolean isDelivered() {
        return receivers.isEmpty();
    }

    @Override
    public void abandon(RuntimeException cause) {
        unclaimed.drop();
        receivers.abandon(cause);
    }
}
