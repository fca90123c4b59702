package io.reactorucx.internal.message;

import io.reactorucx.engine.CommandExecutor;
import io.reactorucx.engine.PeriodicTask;
import io.reactorucx.internal.message.send.OutboundStream;
import io.reactorucx.internal.message.send.OutboundStream.Wait;
import io.reactorucx.internal.message.send.SendSubscriber;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of sends that wait for long, once for each, and says for whom: for demand of the peer, for the peer to fetch
 * large messages, or for other connections; and of requests that wait because the peer answers none of those it has. A
 * usual cause of the first is a program that waits for a send before it subscribes to what the peer's handler sends
 * back.
 *
 * <p>The watch looks at the sends of all connections of an engine a few times within the limit, so that it costs
 * nothing per message or send. Thread: engine.
 */
public final class DemandWatch {

    private static final Logger LOG = LoggerFactory.getLogger(DemandWatch.class);
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final int LOOKS_PER_LIMIT = 4;

    private final Set<MessageStreams> watched = new LinkedHashSet<>();
    /** By a send, or by the streams of a connection, whose requests wait. */
    private Map<Object, Watched> waits = new IdentityHashMap<>();
    private long limitNanos = LIMIT.toNanos();
    private Consumer<String> log = LOG::warn;
    private final @Nullable PeriodicTask looks;

    /** A wait that was there at the last look, and how far the waiter had come. */
    private static final class Watched {

        private final long sinceNanos;
        private final long progress;
        private boolean warned;

        Watched(long sinceNanos, long progress, boolean warned) {
            this.sinceNanos = sinceNanos;
            this.progress = progress;
            this.warned = warned;
        }
    }

    /** Creates the watch of an engine's connections; without an engine, somebody else has to {@link #look}. */
    DemandWatch(@Nullable CommandExecutor engine) {
        looks = engine == null ? null : new PeriodicTask(engine, "the watch of waiting sends", interval(), () -> {
            look(System.nanoTime());
            return !watched.isEmpty();
        });
    }

    /** Sets after what time, and where, it warns. */
    public void configure(Duration limit, Consumer<String> warnings) {
        limitNanos = limit.toNanos();
        log = warnings;
        if (looks != null) {
            looks.stop();
            looks.interval(interval());
            looks.start();
        }
    }

    void add(MessageStreams streams) {
        watched.add(streams);
        if (looks != null) {
            looks.start();
        }
    }

    void remove(MessageStreams streams) {
        watched.remove(streams);
        if (watched.isEmpty() && looks != null) {
            looks.stop();
            waits = new IdentityHashMap<>();
        }
    }

    private Duration interval() {
        return Duration.ofNanos(limitNanos / LOOKS_PER_LIMIT);
    }

    /** Looks at all sends and at the requests that wait, and warns of those that have waited for the limit. */
    public void look(long nowNanos) {
        Map<Object, Watched> now = new IdentityHashMap<>();
        for (MessageStreams streams : watched) {
            streams.forEachOutput(output -> {
                for (SendSubscriber<?> sender : output.senders()) {
                    Wait wait = output.waitOf(sender);
                    look(now, sender, wait != null, 2 * sender.sentMessages() - sender.offered(),
                            nowNanos,
                            () -> warning(streams, output, sender, Objects.requireNonNull(wait)));
                }
            });
            look(now, streams, streams.waiting() > 0, streams.opened(), nowNanos, () -> warning(streams));
        }
        waits = now;
    }

    /** Looks at one wait, and keeps its state until the next look. */
    private void look(Map<Object, Watched> now, Object waiter, boolean waits, long progress, long nowNanos,
            Supplier<String> warning) {
        Watched before = this.waits.get(waiter);
        boolean warned = before != null && before.warned;
        if (waits && (before == null || before.progress != progress)) {
            now.put(waiter, new Watched(nowNanos, progress, warned));
        } else if (before != null && (waits || warned)) {
            now.put(waiter, before);
            if (waits && !warned && nowNanos - before.sinceNanos >= limitNanos) {
                before.warned = true;
                log.accept(warning.get());
            }
        }
    }

    private String warning(MessageStreams streams) {
        return "[" + streams.context().connection().name() + "] " + streams.waiting() + " requests have waited "
                + TimeUnit.NANOSECONDS.toSeconds(limitNanos) + " s: the peer takes no more at once than its maxStreams,"
                + " and has ended none of those that it has";
    }

    private String warning(MessageStreams streams, OutboundStream output, SendSubscriber<?> sender, Wait wait) {
        return "[" + streams.context().connection().name() + "] send on " + output.name() + " has waited "
                + TimeUnit.NANOSECONDS.toSeconds(limitNanos) + " s: " + reason(streams, sender, wait);
    }

    private static String reason(MessageStreams streams, SendSubscriber<?> sender, Wait wait) {
        long sent = sender.sentMessages();
        return switch (wait) {
            case DEMAND -> "the peer has requested "
                    + (sent == 0 ? "no message" : "no more than the " + sent + " messages sent")
                    + ". The peer's subscriber has to request messages: subscribe to its receive() and request more. If"
                    + " the peer's handler sends back what it receives, it waits for this side in turn: subscribe to"
                    + " inbound() here before waiting for the send to complete";
            case FETCH -> "the peer has requested and not fetched " + sender.offered() + " large messages. Its log says"
                    + " so when its pool has no memory for them; otherwise its engine has more to do than it can";
            case OTHER_CONNECTIONS -> "the connections of this engine have offered "
                    + streams.maxOffers() + " large messages, as many as they may, and"
                    + " their peers have not fetched them. More are allowed by a larger EngineConfig.maxInFlight, or by"
                    + " more engines";
            case COPIES -> "copies of large messages that peers have not fetched have half of the buffer pool. More are"
                    + " possible by a larger maxBufferBytes, or by messages that are leases, which are not copied";
        };
    }
}
