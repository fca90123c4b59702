package io.reactorucx.examples.store.replica;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.reactorucx.UcxResources;
import io.reactorucx.examples.store.wire.Batch;
import io.reactorucx.examples.store.wire.JoinPart;
import io.reactorucx.examples.store.wire.JoinRequest;
import io.reactorucx.examples.store.wire.KeyRequest;
import io.reactorucx.examples.store.wire.Pair;
import io.reactorucx.examples.store.wire.PutRequest;
import io.reactorucx.examples.store.wire.Reply;
import java.time.InstantSource;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.curator.framework.CuratorFramework;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The replicas that a node holds: its part of each pair that it belongs to.
 *
 * <p><b>Threading:</b> any thread; nothing blocks. <b>Ownership:</b> {@link #close()} gives the lease back and frees
 * the values. <b>Errors:</b> {@link IllegalArgumentException} for a key or value out of range; all else is a
 * {@link Reply}.
 */
public final class Replicas implements AutoCloseable {

    /** Longest key, in bytes of UTF-8. */
    public static final int MAX_KEY_BYTES = 512;

    private final Settings settings;
    private final Placement placement;
    private final UcxResources resources;
    private final Values values;
    private final Membership membership;
    private final Map<Pair, PairReplica> pairs;

    /**
     * The number of a node, and the limits of what it may hold.
     *
     * @param node number of the node, from 0
     * @param nodes how many nodes there are
     * @param maxEntries of the node
     * @param maxBytes of the node's memory
     * @param maxValueBytes of a value
     * @param windowBytes from which size on values are read by windows
     */
    public record Settings(int node, int nodes, long maxEntries, long maxBytes, int maxValueBytes, int windowBytes) {

        private static final int LARGEST_VALUE = 8 << 20;

        /** Checks the limits. */
        public Settings {
            if (node < 0 || node >= nodes) {
                throw new IllegalArgumentException("store.node " + node + ": must be in 0.." + (nodes - 1));
            }
            if (maxEntries < 1 || maxValueBytes < 1 || maxValueBytes > LARGEST_VALUE || maxBytes < maxValueBytes
                    || maxBytes > Integer.MAX_VALUE || windowBytes < 1) {
                throw new IllegalArgumentException("store: max-entries " + maxEntries + " must be at least 1,"
                        + " max-value-bytes " + maxValueBytes + " in 1.." + LARGEST_VALUE + ", max-bytes " + maxBytes
                        + " at least that and at most " + Integer.MAX_VALUE + ", window-bytes " + windowBytes
                        + " at least 1");
            }
        }
    }

    /**
     * The replicas of a node, without data.
     *
     * @param settings the limits
     * @param resources whose memory holds the values
     * @param registry where the node gets its lease
     * @param peers the other nodes
     */
    public Replicas(Settings settings, UcxResources resources, CuratorFramework registry, Peers peers) {
        this.settings = settings;
        this.placement = new Placement(settings.nodes());
        this.resources = resources;
        this.values = new Values(resources, settings.maxEntries(), settings.maxBytes());
        this.membership = new Membership(registry, settings.node(), this::onListing, this::onLost);
        this.pairs = placement.pairsOf(settings.node()).stream().collect(Collectors.toUnmodifiableMap(pair -> pair,
                pair -> new PairReplica(pair, settings.node(), membership, peers, values,
                        key -> placement.pair(key).equals(pair), ReplicaLimits.DEFAULT, InstantSource.system())));
    }

    /** Asks the registry for a lease, and for those of others from then on. */
    public void start() {
        membership.start();
    }

    private void onListing(Listing listing) {
        pairs.values().forEach(pair -> pair.onListing(listing));
    }

    private void onLost() {
        pairs.values().forEach(PairReplica::reset);
    }

    /**
     * Checks a key.
     *
     * @param key of a client
     */
    public static void checkKey(String key) {
        int bytes = key.getBytes(UTF_8).length;
        if (key.isBlank() || bytes > MAX_KEY_BYTES) {
            throw new IllegalArgumentException("key of " + bytes + " bytes: must not be blank and have at most "
                    + MAX_KEY_BYTES);
        }
    }

    /**
     * Reads.
     *
     * @param request which key
     * @return the value, that there is none, or that this node does not know
     */
    public Reply get(KeyRequest request) {
        checkKey(request.key());
        PairReplica pair = pairs.get(placement.pair(request.key()));
        return pair == null ? foreign(request.key())
                : pair.get(request.key(), request.windows(), settings.windowBytes(), resources);
    }

    private Reply foreign(String key) {
        return Reply.retry("node " + settings.node() + " is none of " + placement.pair(key));
    }

    /**
     * Writes.
     *
     * @param request which key and value
     * @return what became of it
     */
    public Mono<Reply> put(PutRequest request) {
        checkKey(request.key());
        if (request.value().length > settings.maxValueBytes()) {
            throw new IllegalArgumentException("value of " + request.value().length + " bytes: must have at most "
                    + settings.maxValueBytes());
        }
        PairReplica pair = pairs.get(placement.pair(request.key()));
        return pair == null ? Mono.just(foreign(request.key()))
                : pair.write(request.key(), request.value(), request.expiresAt());
    }

    /**
     * Deletes.
     *
     * @param request which key
     * @return what became of it
     */
    public Mono<Reply> delete(KeyRequest request) {
        checkKey(request.key());
        PairReplica pair = pairs.get(placement.pair(request.key()));
        return pair == null ? Mono.just(foreign(request.key())) : pair.write(request.key(), null, request.expiresAt());
    }

    /**
     * Takes the writes of a primary.
     *
     * @param batch the writes
     * @return whether this node has them now
     */
    public boolean replicate(Batch batch) {
        PairReplica pair = pairs.get(batch.pair());
        return pair != null && pair.replicate(batch);
    }

    /**
     * Gives a node its data.
     *
     * @param request which pair
     * @return the answer
     */
    public Flux<JoinPart> join(JoinRequest request) {
        PairReplica pair = pairs.get(request.pair());
        return pair == null ? Flux.just(JoinPart.without(JoinPart.Kind.WAIT, membership.name()))
                : pair.join(request);
    }

    /** {@return the roles of this node by pair, as text} */
    public Map<String, String> roles() {
        Map<String, String> roles = new TreeMap<>();
        pairs.forEach((pair, replica) -> roles.put(pair.low() + "-" + pair.high(), replica.role().name()));
        return roles;
    }

    /** {@return how many values the node holds, about} */
    public long entries() {
        return values.entries();
    }

    @Override
    public void close() {
        membership.close();
        values.close();
    }
}
