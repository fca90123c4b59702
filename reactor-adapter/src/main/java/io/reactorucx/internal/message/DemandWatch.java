package io.reactorucx.internal.message;

import io.reactorucx.core.UcxException;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.engine.Timeout;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of sends that wait for demand of the peer for long, once for each. A usual cause is a program that waits for a
 * send before it subscribes to what the peer's handler sends back.
 *
 * <p>The watch looks at the sends of all connections of an engine a few times within the limit, so that it costs
 * nothing per message or send. Thread: engine.
 */
public final class DemandWatch {

    private static final Logger LOG = LoggerFactory.getLogger(DemandWatch.class);
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final int LOOKS_PER_LIMIT = 4;

    private final Set<MessageMultiplexer> watched = new LinkedHashSet<>();
    private Map<SendSubscriber<?>, Wait> waits = new IdentityHashMap<>();
    private long limitNanos = LIMIT.toNanos();
    private Consumer<String> log = LOG::warn;
    private @Nullable ProgressEngine engine;
    private @Nullable Timeout timeout;

    /** A send that waited at the last look. */
    private static final class Wait {

        private final long sinceNanos;
        private final long sent;
        private boolean warned;

        Wait(long sinceNanos, long sent, boolean warned) {
            this.sinceNanos = sinceNanos;
            this.sent = sent;
            this.warned = warned;
        }
    }

    /** Sets after what time, and where, it warns. */
    public void configure(Duration limit, Consumer<String> warnings) {
        limitNanos = limit.toNanos();
        log = warnings;
        cancel();
        schedule();
    }

    void add(MessageMultiplexer connection) {
        watched.add(connection);
        engine = connection.connection().engine();
        schedule();
    }

    void remove(MessageMultiplexer connection) {
        watched.remove(connection);
        if (watched.isEmpty()) {
            cancel();
            waits = new IdentityHashMap<>();
        }
    }

    private void cancel() {
        if (timeout != null) {
            timeout.cancel();
            timeout = null;
        }
    }

    private void schedule() {
        ProgressEngine on = engine;
        if (timeout != null || on == null || watched.isEmpty()) {
            return;
        }
        try {
            timeout = on.timer().schedule(limitNanos / LOOKS_PER_LIMIT, this::expired);
        } catch (UcxException e) {
            // The engine closes, or has no room for timeouts: a connection that comes later tries again.
            LOG.debug("engine {}: sends that wait for demand are not watched", on.name(), e);
        }
    }

    private void expired() {
        timeout = null;
        try {
            look(System.nanoTime());
        } finally {
            schedule();
        }
    }

    /** Looks at all sends, and warns of those that have waited for the limit. */
    public void look(long nowNanos) {
        Map<SendSubscriber<?>, Wait> before = waits;
        Map<SendSubscriber<?>, Wait> now = new IdentityHashMap<>();
        for (MessageMultiplexer connection : watched) {
            connection.streams().forEachOutput(output -> {
                for (SendSubscriber<?> sender : output.senders()) {
                    Wait wait = look(output, sender, before.get(sender), nowNanos);
                    if (wait != null) {
                        now.put(sender, wait);
                    }
                }
            });
        }
        waits = now;
    }

    /** Returns the state of a send to be kept until the next look; null if there is none. */
    private @Nullable Wait look(OutboundStream output, SendSubscriber<?> sender, @Nullable Wait before,
            long nowNanos) {
        boolean warned = before != null && before.warned;
        if (!output.isBlockedOnDemand(sender)) {
            return warned ? before : null;
        }
        long sent = sender.sentMessages();
        if (before == null || before.sent != sent) {
            return new Wait(nowNanos, sent, warned);
        }
        if (!warned && nowNanos - before.sinceNanos >= limitNanos) {
            before.warned = true;
            log.accept(warning(output, sent));
        }
        return before;
    }

    private String warning(OutboundStream output, long sent) {
        return "[" + output.mux().connection().peer() + "] send on " + output.name() + " has waited "
                + TimeUnit.NANOSECONDS.toSeconds(limitNanos) + " s: the peer has requested "
                + (sent == 0 ? "no message" : "no more than the " + sent + " messages sent")
                + ". The peer's subscriber has to request messages: subscribe to its receive() and request more. If the"
                + " peer's handler sends back what it receives, it waits for this side in turn: subscribe to inbound()"
                + " here before waiting for the send to complete";
    }
}
