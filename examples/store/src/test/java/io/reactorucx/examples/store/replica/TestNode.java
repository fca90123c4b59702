package io.reactorucx.examples.store.replica;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.reactorucx.UcxResources;
import io.reactorucx.examples.store.replica.PairReplica.Role;
import io.reactorucx.examples.store.wire.Pair;
import io.reactorucx.examples.store.wire.Reply;
import java.time.InstantSource;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import reactor.core.publisher.Mono;

/** A process of a node of the pair 0, 1, whose lease and peers the test decides about. */
final class TestNode implements Lease, AutoCloseable {

    static final Pair PAIR = new Pair(0, 1);
    static final String KEY = "key";

    private static final long MAX_BYTES = 16 << 20;
    private static final int NO_WINDOW = Integer.MAX_VALUE;

    final int number;
    final PairReplica replica;
    final Values values;
    private final UcxResources resources;
    private final Set<String> registry;
    private volatile String name;
    private volatile boolean held = true;

    TestNode(int number, UcxResources resources, Set<String> registry, Peers peers) {
        this.number = number;
        this.resources = resources;
        this.registry = registry;
        this.name = newLease();
        this.values = new Values(resources, 1000, MAX_BYTES);
        this.replica = new PairReplica(PAIR, number, this, peers, values, key -> true, ReplicaLimits.DEFAULT,
                InstantSource.system());
    }

    private String newLease() {
        String lease = Listing.name(number, UUID.randomUUID().toString());
        registry.add(lease);
        return lease;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean isHeld() {
        return held;
    }

    /** The process is gone, or stands still: its lease runs out. */
    void pause() {
        held = false;
    }

    void expire() {
        held = false;
        registry.remove(name);
    }

    /** A process that stood still goes on, and gets another lease. */
    void resume() {
        expire();
        replica.reset();
        name = newLease();
        held = true;
    }

    void tick() {
        replica.onListing(listing());
    }

    Listing listing() {
        return new Listing(Set.copyOf(registry), System.nanoTime());
    }

    Role role() {
        return replica.role();
    }

    AtomicReference<Reply> write(long value) {
        return write(KEY, Long.toString(value));
    }

    AtomicReference<Reply> write(String key, String value) {
        AtomicReference<Reply> reply = new AtomicReference<>();
        Mono<Reply> write = replica.write(key, value.getBytes(UTF_8), Long.MAX_VALUE);
        write.subscribe(reply::set);
        return reply;
    }

    Reply get(String key) {
        return replica.get(key, false, NO_WINDOW, resources);
    }

    Reply get() {
        return get(KEY);
    }

    @Override
    public void close() {
        expire();
        values.close();
    }
}
