package io.reactorucx.transport.ring;

import io.reactorucx.core.shm.ProcessIdentity;
import io.reactorucx.core.shm.SharedPages;
import io.reactorucx.engine.CommandExecutor;
import io.reactorucx.engine.PeriodicTask;
import io.reactorucx.engine.PolledSource;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.transport.buffer.MappedMemory;
import io.reactorucx.transport.handshake.FairLimit;
import io.reactorucx.transport.handshake.PeerOrigin;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rings of one engine: a pair for each engine of a peer, made for their first connection. A pair that has had no
 * connection for a while is given up.
 *
 * <p>Thread: engine.
 */
final class RingLinks implements PolledSource {

    private static final Logger LOG = LoggerFactory.getLogger(RingLinks.class);
    /** Records that are read before UCX gets its turn again. */
    private static final int READS_PER_ROUND = 64;
    private static final Duration IDLE = Duration.ofSeconds(5);

    private final CommandExecutor engine;
    private final Consumer<PolledSource> pollBeside;
    private final int ringBytes;
    private final MappedMemory limit;
    private final FairLimit shares;
    private final RingCounters counters;
    /** Those that new connections join. */
    private final Map<PeerEngine, RingLink> byPeer = new HashMap<>();
    /** All that are not closed; replaced when one comes or goes. */
    private List<RingLink> links = List.of();
    /** Those that had no connection at the last look. */
    private Set<RingLink> unused = new HashSet<>();
    private final PeriodicTask sweep;
    /** The link that reads first in the next round. */
    private int first;
    private boolean asleep;
    private boolean polled;

    RingLinks(ProgressEngine engine, int ringBytes, MappedMemory limit, FairLimit shares, RingCounters counters) {
        this(engine, engine::pollBeside, ringBytes, limit, shares, counters, IDLE);
    }

    /**
     * Creates rings of which a pair ends that has no connection at two looks.
     *
     * @param pollBeside takes these rings when there is the first one, and polls them from then on
     */
    RingLinks(CommandExecutor engine, Consumer<PolledSource> pollBeside, int ringBytes, MappedMemory limit,
            FairLimit shares, RingCounters counters, Duration looks) {
        this.engine = engine;
        this.pollBeside = pollBeside;
        this.ringBytes = ringBytes;
        this.limit = limit;
        this.shares = shares;
        this.counters = counters;
        this.sweep = new PeriodicTask(engine, "the end of unused rings", looks, this::sweep);
    }

    /** An engine of a process, as it says. */
    private record PeerEngine(long worker, ProcessIdentity process) {
    }

    /** Returns the link to an engine of a peer; null if there is no memory for it, or no room within the limits. */
    @Nullable RingLink open(long worker, ProcessIdentity process) {
        PeerEngine peer = new PeerEngine(worker, process);
        RingLink known = byPeer.get(peer);
        if (known != null && !known.isEnded()) {
            return known;
        }
        RingLink made = reserve(process, SharedPages.mappedBytes(ringBytes)) ? make(process) : null;
        if (made != null) {
            byPeer.put(peer, made);
            added(made);
        }
        return made;
    }

    private @Nullable RingLink make(ProcessIdentity process) {
        Arena arena = Arena.ofConfined();
        SharedPages own = null;
        try {
            own = SharedPages.allocate(ringBytes, arena);
        } finally {
            if (own == null) {
                arena.close();
                free(process, SharedPages.mappedBytes(ringBytes));
            }
        }
        return own == null ? null : new RingLink(process, own, arena, counters, engine);
    }

    private void added(RingLink link) {
        if (!polled) {
            polled = true;
            pollBeside.accept(this);
        }
        List<RingLink> more = new ArrayList<>(links);
        more.add(link);
        links = List.copyOf(more);
        counters.open(links.size());
        sweep.start();
    }

    /** Takes the offer of a peer for its connection, and returns whether its ring is mapped. */
    boolean map(RingLink link, RingFrame offer) {
        if (!link.accepts(offer)) {
            // One of the two has a new ring: later connections agree on a new pair.
            forget(link);
            left(link);
            return false;
        }
        if (link.ofPeer() != null) {
            return true;
        }
        long bytes = SharedPages.mappedBytes(offer.bytes());
        boolean mapped = RingLayout.isSize(offer.bytes()) && reserve(link.process(), bytes);
        if (mapped && !link.map(offer)) {
            free(link.process(), bytes);
            mapped = false;
        }
        if (!mapped) {
            // Whoever has made this offer knows the key of the ring.
            forget(link);
            left(link);
        }
        return mapped;
    }

    /** No other connection joins a link. */
    private void forget(RingLink link) {
        byPeer.values().remove(link);
    }

    /** A connection has left a link, which is closed if no other will join. Not while the links are polled. */
    void left(RingLink link) {
        if (link.isUnused() && !byPeer.containsValue(link) && links.contains(link)) {
            close(link);
        }
    }

    private static PeerOrigin origin(ProcessIdentity process) {
        return new PeerOrigin(InetAddress.getLoopbackAddress(), process);
    }

    private boolean reserve(ProcessIdentity process, long bytes) {
        if (shares.tryAcquire(origin(process), bytes) != FairLimit.Outcome.ACQUIRED) {
            return false;
        }
        boolean reserved = limit.reserve(bytes);
        if (!reserved) {
            shares.release(origin(process), bytes);
        }
        return reserved;
    }

    private void free(ProcessIdentity process, long bytes) {
        limit.free(bytes);
        shares.release(origin(process), bytes);
    }

    @Override
    public int poll() {
        int read = 0;
        List<RingLink> now = links;
        int size = now.size();
        int from = first < size ? first : 0;
        for (int i = 0; i < size; i++) {
            int at = from + i < size ? from + i : from + i - size;
            read += now.get(at).poll(READS_PER_ROUND - read);
            if (read == READS_PER_ROUND) {
                // The others read before this one in the next round.
                first = at + 1;
            }
        }
        return read;
    }

    @Override
    public boolean park() {
        asleep = true;
        for (RingLink link : links) {
            link.tellAsleep();
        }
        return !hasWork();
    }

    /** Returns whether there is something to do before a sleep. */
    boolean hasWork() {
        for (RingLink link : links) {
            if (link.hasWork()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void unpark() {
        if (asleep) {
            asleep = false;
            for (RingLink link : links) {
                link.tellAwake();
            }
        }
    }

    private boolean sweep() {
        Set<RingLink> still = new HashSet<>();
        for (RingLink link : links) {
            if (link.isUnused() && unused.contains(link)) {
                close(link);
            } else if (link.isUnused()) {
                still.add(link);
            }
        }
        unused = still;
        return !links.isEmpty();
    }

    private void close(RingLink link) {
        forget(link);
        links = links.stream().filter(each -> each != link).toList();
        counters.open(links.size());
        long bytes = link.bytes();
        link.close();
        free(link.process(), bytes);
    }

    @Override
    public void engineClosed() {
        for (RingLink link : links) {
            try {
                close(link);
            } catch (RuntimeException e) {
                LOG.error("[{}] a ring could not be unmapped", engine.name(), e);
            }
        }
    }
}
