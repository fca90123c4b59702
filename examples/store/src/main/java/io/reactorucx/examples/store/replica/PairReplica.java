package io.reactorucx.examples.store.replica;

import io.reactorucx.UcxResources;
import io.reactorucx.examples.store.wire.Batch;
import io.reactorucx.examples.store.wire.Change;
import io.reactorucx.examples.store.wire.JoinPart;
import io.reactorucx.examples.store.wire.JoinPart.Kind;
import io.reactorucx.examples.store.wire.JoinRequest;
import io.reactorucx.examples.store.wire.Pair;
import io.reactorucx.examples.store.wire.Reply;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * One node's part in the keys of a pair.
 *
 * <p>The primary numbers the writes and sends them to its backup one batch after the other. It applies and acknowledges
 * a write when the backup has it, or when the registry says that the lease of the backup is over. A backup becomes the
 * primary when the lease of its primary is over. A node without data joins the primary, which sends it all further
 * writes from then on, and meanwhile its entries; only when it has all does it answer. Both answer only while they hold
 * their lease.
 *
 * <p>Threading: any thread. Nothing of others is called with the lock held, but the values.
 */
final class PairReplica {

    private static final Logger LOG = LoggerFactory.getLogger(PairReplica.class);
    private static final int READS = 8;
    private static final long VERSIONS_PER_MILLI = 1000;

    private final Pair pair;
    private final int node;
    private final Lease lease;
    private final Peers peers;
    private final Values values;
    private final Predicate<String> ofPair;
    private final ReplicaLimits limits;
    private final InstantSource clock;
    private final WriteQueue pending;
    private final Object lock = new Object();

    private Role role = Role.JOINING;
    /** Changes when the data are given up, so that a read notices it. */
    private long generation;
    /** Number of the last write: assigned by a primary, applied by the others. */
    private long last;

    // Of a primary.
    private @Nullable Relation backup;
    private boolean sending;

    // Of the others.
    private @Nullable Relation source;
    private @Nullable Relation conceded;
    private @Nullable Set<String> writtenMeanwhile;
    private @Nullable Listing listing;
    private long joins;
    private boolean joining;

    /** The role of a node for the keys of a pair. */
    enum Role { JOINING, BACKUP, PRIMARY }

    /**
     * Another node's lease, on which something depends until it is over.
     *
     * @param lease its name
     * @param session of the replication between both; empty without
     * @param sinceNanos when this side knew of it
     */
    private record Relation(String lease, String session, long sinceNanos) {

        boolean isOver(Listing listing) {
            return listing.isOver(lease, sinceNanos);
        }
    }

    PairReplica(Pair pair, int node, Lease lease, Peers peers, Values values, Predicate<String> ofPair,
            ReplicaLimits limits, InstantSource clock) {
        this.pair = pair;
        this.node = node;
        this.lease = lease;
        this.peers = peers;
        this.values = values;
        this.ofPair = ofPair;
        this.limits = limits;
        this.clock = clock;
        this.pending = new WriteQueue(limits);
    }

    /** Changes the state, and then does what has to happen without the lock. */
    private void locked(Consumer<List<Runnable>> action) {
        List<Runnable> after = new ArrayList<>();
        synchronized (lock) {
            action.accept(after);
        }
        after.forEach(Runnable::run);
    }

    Role role() {
        synchronized (lock) {
            return role;
        }
    }

    // Reads.

    Reply get(String key, boolean asWindow, int leastWindow, UcxResources resources) {
        long before;
        synchronized (lock) {
            if (role == Role.JOINING) {
                return Reply.retry("node " + node + " does not have the keys of " + pair + " yet");
            }
            before = generation;
        }
        Reply reply = read(key, asWindow, leastWindow, resources);
        synchronized (lock) {
            // The value that was read was valid if the lease is held now, after the read.
            return generation == before && lease.isHeld() ? reply : Reply.retry("node " + node + " has no lease");
        }
    }

    private Reply read(String key, boolean asWindow, int leastWindow, UcxResources resources) {
        for (int i = 0; i < READS; i++) {
            StoredValue value = values.get(key);
            if (value == null) {
                return Reply.notFound();
            }
            byte[] window = asWindow && value.length() >= leastWindow ? value.descriptor(resources) : null;
            if (window != null) {
                return Reply.window(value.version(), window);
            }
            byte[] bytes = value.copy();
            if (bytes != null) {
                return Reply.found(value.version(), bytes);
            }
        }
        return Reply.retry("the value changes too fast");
    }

    // Writes of clients.

    Mono<Reply> write(String key, byte @Nullable [] value, long expiresAt) {
        List<Mono<Reply>> reply = new ArrayList<>(1);
        locked(after -> {
            String refusal = refusal(key, value, expiresAt);
            if (refusal == null) {
                reply.add(pending.add(new Change(++last, key, value)));
                pump(after);
            } else {
                reply.add(Mono.just(Reply.retry(refusal)));
            }
        });
        return reply.getFirst();
    }

    private @Nullable String refusal(String key, byte @Nullable [] value, long expiresAt) {
        if (role != Role.PRIMARY) {
            return "node " + node + " is not the primary of " + pair;
        }
        if (!lease.isHeld()) {
            return "node " + node + " has no lease";
        }
        if (clock.millis() >= expiresAt) {
            return "the write came after it had expired";
        }
        return pending.hasRoomFor(new Change(0, key, value).bytes()) ? null : "too many writes wait for the backup";
    }

    private void pump(List<Runnable> after) {
        if (role != Role.PRIMARY || sending) {
            return;
        }
        Relation to = backup;
        if (to == null) {
            while (!pending.isEmpty()) {
                commitFirst(after);
            }
        } else if (!pending.isEmpty()) {
            sending = true;
            Batch batch = new Batch(pair, to.session(), pending.head());
            after.add(() -> peers.replicate(pair.other(node), batch).timeout(limits.replyTimeout())
                    .onErrorReturn(false).defaultIfEmpty(false)
                    .subscribe(taken -> replicated(to, batch.changes().size(), taken)));
        }
    }

    private void replicated(Relation to, int count, boolean taken) {
        locked(after -> {
            if (!to.equals(backup)) {
                return;
            }
            if (taken) {
                for (int i = 0; i < count; i++) {
                    commitFirst(after);
                }
                sending = false;
                pump(after);
            } else {
                after.add(() -> Mono.delay(limits.pause(), Schedulers.parallel()).subscribe(tick -> resume(to)));
            }
        });
    }

    private void resume(Relation to) {
        locked(after -> {
            if (to.equals(backup)) {
                sending = false;
                pump(after);
            }
        });
    }

    /** Each replica that lives has the write: it is applied here, too, and acknowledged. */
    private void commitFirst(List<Runnable> after) {
        Change change = pending.first();
        if (change != null) {
            apply(change);
            after.add(pending.removeFirst(lease.isHeld() ? Reply.done(change.version())
                    : Reply.unknown("node " + node + " has no lease")));
        }
    }

    private void apply(Change change) {
        try {
            values.apply(change);
        } catch (RuntimeException e) {
            LOG.warn("a value of {} is left out", pair, e);
            values.apply(new Change(change.version(), change.key(), null));
        }
    }

    // The work of a primary for its backup.

    Flux<JoinPart> join(JoinRequest request) {
        List<Flux<JoinPart>> answer = new ArrayList<>(1);
        locked(after -> answer.add(switch (role) {
            case PRIMARY -> accept(request, after);
            case JOINING -> Flux.just(JoinPart.without(concedes(request) ? Kind.CONCEDED : Kind.WAIT, lease.name()));
            case BACKUP -> Flux.just(JoinPart.without(Kind.WAIT, lease.name()));
        }));
        return answer.getFirst();
    }

    private Flux<JoinPart> accept(JoinRequest request, List<Runnable> after) {
        if (!lease.isHeld() || backup != null && !backup.lease().equals(request.lease())) {
            return Flux.just(JoinPart.without(Kind.WAIT, lease.name()));
        }
        // From here on nothing is acknowledged that the new backup does not have.
        backup = new Relation(request.lease(), UUID.randomUUID().toString(), System.nanoTime());
        sending = false;
        Change first = pending.first();
        JoinPart begin = new JoinPart(Kind.PRIMARY, lease.name(), backup.session(),
                first == null ? last : first.version() - 1, List.of());
        pump(after);
        return Flux.just(begin).concatWith(Flux.defer(() -> new EntryParts(values, values.keys(ofPair), limits,
                begin.lease()).parts()));
    }

    /** The node with the lower number begins without data if neither has any. */
    private boolean concedes(JoinRequest request) {
        if (node == pair.low() || source != null || !lease.isHeld()
                || conceded != null && !conceded.lease().equals(request.lease())) {
            return false;
        }
        conceded = new Relation(request.lease(), "", System.nanoTime());
        values.remove(ofPair);
        return true;
    }

    // The work of a backup with the writes of its primary.

    boolean replicate(Batch batch) {
        synchronized (lock) {
            if (role == Role.PRIMARY || source == null || !source.session().equals(batch.session())) {
                return false;
            }
            for (Change change : batch.changes()) {
                if (change.version() > last + 1) {
                    LOG.warn("write {} of {} came after {}, so node {} joins anew", change.version(), pair, last, node);
                    role = Role.JOINING;
                    generation++;
                    giveUpJoin();
                    return false;
                }
                if (change.version() == last + 1) {
                    apply(change);
                    if (writtenMeanwhile != null) {
                        writtenMeanwhile.add(change.key());
                    }
                    last = change.version();
                }
            }
            if (writtenMeanwhile != null && writtenMeanwhile.size() > ReplicaLimits.MAX_WRITTEN_MEANWHILE) {
                giveUpJoin();
                return false;
            }
            return true;
        }
    }

    // The answers of the registry.

    /** The registry was asked which leases there are. */
    void onListing(Listing now) {
        locked(after -> {
            listing = now;
            if (conceded != null && conceded.isOver(now)) {
                conceded = null;
            }
            switch (role) {
                case PRIMARY -> dropBackup(now, after);
                case BACKUP -> takeOver(now);
                case JOINING -> proceed(now, after);
            }
        });
    }

    private void dropBackup(Listing now, List<Runnable> after) {
        if (backup != null && backup.isOver(now)) {
            LOG.info("node {} goes on alone for {}", node, pair);
            backup = null;
            sending = false;
            pump(after);
        }
    }

    private void takeOver(Listing now) {
        if (source != null && source.isOver(now)) {
            becomePrimary();
        }
    }

    private void proceed(Listing now, List<Runnable> after) {
        boolean incomplete = source != null && source.isOver(now);
        boolean alone = conceded == null && isOnlyOfItsNumber(now)
                && now.leases().stream().noneMatch(each -> Listing.nodeOf(each) == pair.other(node));
        if (incomplete && !alone) {
            giveUpJoin();
        }
        if (alone) {
            // All that has come is as new as the last acknowledged write. The rest is lost.
            if (!incomplete) {
                values.remove(ofPair);
            }
            becomePrimary();
        } else if (!joining && lease.isHeld()) {
            joining = true;
            long attempt = ++joins;
            JoinRequest request = new JoinRequest(pair, lease.name());
            after.add(() -> peers.join(pair.other(node), request).timeout(limits.replyTimeout())
                    .subscribe(part -> onPart(attempt, part), error -> onJoinEnd(attempt, false),
                            () -> onJoinEnd(attempt, true)));
        }
    }

    private boolean isOnlyOfItsNumber(Listing now) {
        return lease.isHeld() && now.leases().contains(lease.name()) && !now.hasOther(node, lease.name());
    }

    private void becomePrimary() {
        LOG.info("node {} is the primary of {}", node, pair);
        role = Role.PRIMARY;
        // Versions rise even after all replicas were lost.
        last = Math.max(last, clock.millis() * VERSIONS_PER_MILLI);
        joins++;
        joining = false;
        backup = null;
        sending = false;
        source = null;
        conceded = null;
        writtenMeanwhile = null;
    }

    // How a node gets its data.

    private void onPart(long attempt, JoinPart part) {
        locked(after -> {
            if (attempt != joins || role != Role.JOINING) {
                return;
            }
            switch (part.kind()) {
                case PRIMARY -> {
                    values.remove(ofPair);
                    source = new Relation(part.lease(), String.valueOf(part.session()), System.nanoTime());
                    last = part.version();
                    writtenMeanwhile = new HashSet<>();
                }
                case ENTRIES -> part.entries().stream().filter(entry -> writtenMeanwhile != null
                        && !writtenMeanwhile.contains(entry.key())).forEach(this::apply);
                case CONCEDED -> beginWithoutData(part.lease());
                case WAIT -> { }
            }
        });
    }

    private void beginWithoutData(String other) {
        Listing now = listing;
        if (now != null && node == pair.low() && source == null && isOnlyOfItsNumber(now)
                && !now.hasOther(pair.other(node), other)) {
            values.remove(ofPair);
            becomePrimary();
        }
    }

    private void onJoinEnd(long attempt, boolean complete) {
        locked(after -> {
            if (attempt != joins || role != Role.JOINING) {
                return;
            }
            joining = false;
            if (complete && source != null) {
                LOG.info("node {} is the backup of {}", node, pair);
                role = Role.BACKUP;
                writtenMeanwhile = null;
                conceded = null;
            } else {
                giveUpJoin();
            }
        });
    }

    private void giveUpJoin() {
        joins++;
        joining = false;
        writtenMeanwhile = null;
        if (source != null) {
            source = null;
            values.remove(ofPair);
        }
    }

    /** The registry may have given this node up: what it has may be old. */
    void reset() {
        locked(after -> {
            role = Role.JOINING;
            generation++;
            backup = null;
            sending = false;
            conceded = null;
            listing = null;
            giveUpJoin();
            values.remove(ofPair);
            while (!pending.isEmpty()) {
                after.add(pending.removeFirst(Reply.unknown("node " + node + " has lost its lease")));
            }
        });
    }
}
