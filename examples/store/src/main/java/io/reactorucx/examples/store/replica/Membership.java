package io.reactorucx.examples.store.replica;

import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leases of the nodes, which are ephemeral nodes of ZooKeeper. A lease is held for less than the session's timeout
 * from the beginning of the last request that found it: ZooKeeper does not remove it before. It has a name that is used
 * once, so that one which is over stays so.
 */
final class Membership implements Lease, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Membership.class);
    private static final String ROOT = "/reactor-ucx-store/leases";
    private static final long INTERVAL_MILLIS = 200;
    private static final long CLOSE_SECONDS = 2;

    private final CuratorFramework registry;
    private final int node;
    private final Consumer<Listing> listener;
    private final Runnable lost;
    private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("store-membership").factory());

    private volatile @Nullable Held held;

    /** A lease, its session, and until when it is held. */
    private record Held(String name, long session, long untilNanos) {
    }

    Membership(CuratorFramework registry, int node, Consumer<Listing> listener, Runnable lost) {
        this.registry = registry;
        this.node = node;
        this.listener = listener;
        this.lost = lost;
    }

    void start() {
        executor.scheduleWithFixedDelay(this::renew, 0, INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
    }

    @Override
    public String name() {
        Held now = held;
        return now == null ? Listing.name(node, "none") : now.name();
    }

    @Override
    public boolean isHeld() {
        Held now = held;
        return now != null && System.nanoTime() - now.untilNanos() < 0;
    }

    private void renew() {
        try {
            renewOnce();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            // The lease runs out by itself.
            LOG.warn("node {} cannot renew its lease: {}", node, e.toString());
        }
    }

    // snippet: lease
    private void renewOnce() throws Exception {
        Held before = held;
        String name = before == null ? create() : before.name();
        ZooKeeper session = registry.getZookeeperClient().getZooKeeper();
        long id = session.getSessionId();
        long started = System.nanoTime();
        Stat stat = registry.checkExists().forPath(ROOT + "/" + name);
        if (stat == null || stat.getEphemeralOwner() != id || session.getSessionId() != id) {
            LOG.warn("node {} has lost its lease {}", node, name);
            held = null;
            lost.run();
            return;
        }
        long valid = TimeUnit.MILLISECONDS.toNanos(session.getSessionTimeout()) / 5 * 4;
        held = new Held(name, id, started + valid);
        long listed = System.nanoTime();
        listener.accept(new Listing(Set.copyOf(registry.getChildren().forPath(ROOT)), listed));
    }
    // end

    private String create() throws Exception {
        String name = Listing.name(node, UUID.randomUUID().toString());
        registry.create().creatingParentsIfNeeded().withMode(CreateMode.EPHEMERAL).forPath(ROOT + "/" + name);
        return name;
    }

    /** Answers no more, and only then tells the others. */
    @Override
    public void close() {
        Held before = held;
        held = null;
        executor.shutdownNow();
        try {
            if (!executor.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("node {} leaves its lease to the registry's timeout", node);
                return;
            }
            held = null;
            if (before != null) {
                registry.delete().quietly().forPath(ROOT + "/" + before.name());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            LOG.debug("lease {} is left to the registry's timeout", before, e);
        }
    }
}
