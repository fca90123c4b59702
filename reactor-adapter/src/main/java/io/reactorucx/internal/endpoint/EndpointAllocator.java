package io.reactorucx.internal.endpoint;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.EndpointErrorHandler;
import io.reactorucx.core.EndpointOptions;
import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.UcxException;
import io.reactorucx.core.UcxStatus;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.internal.concurrent.RetryingCommand;
import io.reactorucx.internal.frame.BindFrame;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.scheduler.Schedulers;

/**
 * Makes the endpoints of one worker that lead to other workers by their address, so that the two ends of a connection
 * are each other's.
 *
 * <p>UCX pairs the nth endpoint that one worker makes to another with the nth that the other makes back. So both sides
 * count, and the one that answers makes as many as the one that began. An endpoint that this makes on the way to the
 * one that is wanted belongs to a connection whose peer has not spoken yet, or never will; it waits a while for being
 * asked for. Of the endpoints that a worker makes to itself two that follow each other are a pair.
 *
 * <p>On the engine's thread.
 */
public final class EndpointAllocator {

    private static final Logger LOG = LoggerFactory.getLogger(EndpointAllocator.class);

    /** UCX counts in 16 bits, and pairs nothing once they are used up. */
    private static final int MAX_NUMBER = 0xFFFE;

    /** How far one connection may make this side catch up with its peer. */
    private static final int MAX_CATCH_UP = 256;

    private final ProgressEngine engine;
    private final UcpWorker worker;
    private final long uid;
    private final IdleEndpointLimit idle;
    private final Map<Long, Integer> made = new HashMap<>();
    private final Map<Place, Spare> spares = new HashMap<>();
    /** Endpoints of connections, and what is to be done when one of them is one's no more. */
    private final Set<Place> taken = new HashSet<>();
    private final Map<Place, Runnable> waiting = new HashMap<>();
    /** Endpoints that have been given back, of the side that begins. */
    private final Map<Long, Deque<Spare>> givenBack = new HashMap<>();
    private final Queue<Runnable> waitingForSelf = new ArrayDeque<>();
    private boolean connectingToSelf;

    public EndpointAllocator(ProgressEngine engine, UcpWorker worker, byte[] ownAddress, IdleEndpointLimit idle) {
        this.idle = idle;
        this.engine = engine;
        this.worker = worker;
        this.uid = UcpWorker.uid(ownAddress);
    }

    /** An endpoint that belongs to a connection, and its number among those to the same worker. */
    public interface Paired {

        UcpEndpoint endpoint();

        int number();

        /** Takes a place among those that wait for their next connection; answers whether there was one. */
        boolean reserve();

        /** The connection has ended, nothing of it is under way, and another one may have the endpoint. */
        void giveBack();

        /** The connection has ended, and the endpoint with it. */
        void closed();
    }

    /** How the endpoint is made. */
    public record Purpose(ErrorMode errorMode, String peer, EndpointErrorHandler onError, Duration patience) {
    }

    /**
     * Whether this side is the one that begins: each pair of workers has one order of endpoints, that of the worker
     * with the larger uid.
     */
    public boolean begins(byte[] address, boolean client) {
        int order = Long.compareUnsigned(uid, UcpWorker.uid(address));
        return order > 0 || order == 0 && client;
    }

    /** Connects to itself one after the other: two that are under way at a time would find each other. */
    public void inTurn(byte[] address, Runnable connect) {
        if (UcpWorker.uid(address) != uid) {
            connect.run();
        } else if (connectingToSelf) {
            waitingForSelf.add(connect);
        } else {
            connectingToSelf = true;
            connect.run();
        }
    }

    /** The one whose turn it was is done. */
    public void turnIsOver(byte[] address) {
        if (UcpWorker.uid(address) == uid) {
            connectingToSelf = false;
            Runnable next = waitingForSelf.poll();
            if (next != null) {
                connectingToSelf = true;
                next.run();
            }
        }
    }

    /** The endpoint for a side that begins. */
    public Paired begin(byte[] address, Purpose purpose) {
        long peer = UcpWorker.uid(address);
        Deque<Spare> unused = givenBack.getOrDefault(peer, new ArrayDeque<>());
        for (Spare used : unused) {
            if (used.fits(purpose)) {
                return used.give(purpose);
            }
        }
        if (peer == uid && count(peer) % 2 != 0) {
            keep(make(peer, address, purpose), purpose.patience());
        }
        return make(peer, address, purpose).give(purpose);
    }

    /**
     * The endpoint that belongs to one of the peer's; null when a connection before has it still, and then something is
     * run when it has not.
     */
    public @Nullable Paired answer(BindFrame bind, UcpActiveMessage message, Purpose purpose, Runnable whenGivenBack) {
        byte[] address = bind.address();
        long peer = UcpWorker.uid(address);
        int number = peer == uid ? bind.number() ^ 1 : bind.number();
        for (int i = 0; i < MAX_CATCH_UP && count(peer) <= number; i++) {
            keep(make(peer, address, purpose), purpose.patience());
        }
        Place place = new Place(peer, number);
        Spare spare = spares.get(place);
        if (spare != null && spare.fits(purpose) && message.isAnsweredBy(spare.endpoint())) {
            return spare.give(purpose);
        }
        if (spare != null || !taken.contains(place)) {
            throw notPaired(purpose.peer());
        }
        waiting.put(place, whenGivenBack);
        return null;
    }

    public static UcxException notPaired(String peer) {
        return new UcxException(UcxStatus.NOT_CONNECTED, "connect", peer,
                "the endpoints of both sides did not find each other, as when one has failed before; try again");
    }

    /** Whoever asked for an endpoint does not want it any more. */
    public void forget(Runnable whenGivenBack) {
        waiting.values().remove(whenGivenBack);
    }

    /** An endpoint of a connection that needs no pair, or whose pair is whatever the peer makes next. */
    public UcpEndpoint other(byte[] address, EndpointOptions options) {
        UcpEndpoint endpoint = worker.connect(address, options);
        made.merge(UcpWorker.uid(address), 1, Integer::sum);
        return endpoint;
    }

    private int count(long peer) {
        return made.getOrDefault(peer, 0);
    }

    private Spare make(long peer, byte[] address, Purpose purpose) {
        int number = count(peer);
        if (number > MAX_NUMBER) {
            throw new UcxException(UcxStatus.EXCEEDS_LIMIT, "connect", purpose.peer(), "UCX pairs at most " + number
                    + " endpoints of two workers: use another engine, or new resources");
        }
        Spare spare = new Spare(new Place(peer, number));
        EndpointOptions options = new EndpointOptions(purpose.errorMode(), purpose.peer(), spare);
        // Counted first: when it fails now, UCX has counted as well.
        made.put(peer, number + 1);
        spare.endpoint = worker.connect(address, peer == uid ? options.withoutLoopback() : options);
        return spare;
    }

    private void keep(Spare spare, Duration patience) {
        LOG.debug("{} waits for its connection", spare.place);
        spares.put(spare.place, spare);
        spare.patience = Schedulers.parallel().schedule(() ->
                new RetryingCommand(engine, ignored -> giveUp(spare), closed -> { }).submit(),
                patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void giveUp(Spare spare) {
        UcpEndpoint endpoint = spare.endpoint;
        if (spare.owner == null && spare.takeOut() && endpoint != null && !endpoint.isClosed()) {
            CloseMode mode = endpoint.errorMode() == ErrorMode.PEER ? CloseMode.FORCE : CloseMode.FLUSH;
            endpoint.close(mode, (status, length, tag) -> { });
        }
    }

    /** Where an endpoint stands in the order of those to one worker. */
    private record Place(long peer, int number) {
    }

    /** An endpoint, and who is told of its failure. */
    private final class Spare implements EndpointErrorHandler, Paired {

        private final Place place;
        private @Nullable UcpEndpoint endpoint;
        private @Nullable EndpointErrorHandler owner;
        private @Nullable Disposable patience;
        private boolean reserved;

        Spare(Place place) {
            this.place = place;
        }

        Paired give(Purpose purpose) {
            if (patience != null) {
                // It may be given back, and is then no longer the one that nobody came for.
                patience.dispose();
            }
            takeOut();
            owner = purpose.onError();
            taken.add(place);
            endpoint().peer(purpose.peer());
            return this;
        }

        /** It waits for a connection no more; answers whether it did. */
        private boolean takeOut() {
            boolean was = spares.remove(place, this);
            Deque<Spare> ofPeer = givenBack.get(place.peer);
            if (ofPeer != null && ofPeer.remove(this) && ofPeer.isEmpty()) {
                givenBack.remove(place.peer);
            }
            unreserve();
            return was;
        }

        /** Whether it is made as a connection wants it. */
        private boolean fits(Purpose purpose) {
            return endpoint().errorMode() == purpose.errorMode();
        }

        @Override
        public boolean reserve() {
            reserved = reserved || idle.reserve();
            return reserved;
        }

        private void unreserve() {
            if (reserved) {
                reserved = false;
                idle.removed();
            }
        }

        @Override
        public UcpEndpoint endpoint() {
            return Objects.requireNonNull(endpoint);
        }

        @Override
        public int number() {
            return place.number;
        }

        @Override
        public void giveBack() {
            owner = null;
            spares.put(place, this);
            if (place.peer == uid ? place.number % 2 == 0 : Long.compareUnsigned(uid, place.peer) > 0) {
                givenBack.computeIfAbsent(place.peer, peer -> new ArrayDeque<>()).add(this);
            }
            endOfTurn();
        }

        @Override
        public void closed() {
            unreserve();
            endOfTurn();
        }

        private void endOfTurn() {
            taken.remove(place);
            Runnable asked = waiting.remove(place);
            if (asked != null) {
                asked.run();
            }
        }

        @Override
        public void onError(UcpEndpoint failed, int rawStatus) {
            EndpointErrorHandler told = owner;
            if (told == null) {
                giveUp(this);
            } else {
                told.onError(failed, rawStatus);
            }
        }
    }
}
