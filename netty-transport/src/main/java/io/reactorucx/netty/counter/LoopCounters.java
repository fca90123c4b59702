package io.reactorucx.netty.counter;

import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.netty.UcxNettyConfig;
import io.reactorucx.transport.EncryptionStatistics;
import io.reactorucx.transport.RingStatistics;
import io.reactorucx.transport.buffer.BufferPool;
import io.reactorucx.transport.handshake.FairLimit;
import io.reactorucx.transport.handshake.HandshakeCounters;
import io.reactorucx.transport.handshake.HandshakeFailure;
import io.reactorucx.transport.handshake.Rejection;
import io.reactorucx.transport.handshake.RejectionLog;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The counters of a loop, with its limits and its engines.
 *
 * <p>Thread: the loop writes without a fence, any reads, so that a reader may see slightly older values.
 */
public final class LoopCounters {

    /** Where health keeps clients away, none comes to show that the loop can use UCX again. */
    private static final long REFUSAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Handshakes of links that may be in progress at each port. */
    public static final int MAX_PENDING_LINKS = 256;

    private final String loop;
    private final UcxNettyConfig config;
    private final LoopRegistry registry;
    private final List<Engine> engines = new CopyOnWriteArrayList<>();
    private final AtomicLongArray counts = new AtomicLongArray(LoopCount.values().length);
    private volatile @Nullable Long refusedAt;
    private final FairLimit acceptedStreams;
    private final FairLimit acceptedPlain;
    private final RejectionLog rejections = new RejectionLog();

    /**
     * What a loop counts of one of its engines.
     *
     * @param engine the engine
     * @param handshakes those of links
     * @param pool its memory
     * @param links the links that it has accepted
     * @param rings the counts of its rings
     * @param encryption the counts of its encryption
     */
    public record Engine(ProgressEngine engine, HandshakeCounters handshakes, BufferPool pool, FairLimit links,
            Supplier<RingStatistics> rings, Supplier<EncryptionStatistics> encryption) {
    }

    LoopCounters(String loop, UcxNettyConfig config, LoopRegistry registry) {
        this.loop = loop;
        this.config = config;
        this.registry = registry;
        this.acceptedStreams = channelLimit(config);
        this.acceptedPlain = channelLimit(config);
    }

    private static FairLimit channelLimit(UcxNettyConfig config) {
        return new FairLimit(config.maxChannels(), FairLimit.share(config.maxChannels(), config.clientShare()));
    }

    /** Adds one. */
    public void count(LoopCount what) {
        add(what, 1);
    }

    /** Adds a number, which may be negative. */
    public void add(LoopCount what, long more) {
        counts.setOpaque(what.ordinal(), counts.getPlain(what.ordinal()) + more);
    }

    /** Returns a count. */
    public long of(LoopCount what) {
        return counts.getOpaque(what.ordinal());
    }

    /** An engine of the loop has started. */
    public void engineStarted(Engine engine) {
        registry.engineStarted(this, engine);
    }

    /** An engine has closed. */
    public void engineEnded(Engine engine) {
        registry.engineEnded(this, engine);
    }

    /** The loop has ended. */
    public void loopEnded() {
        registry.loopEnded(this);
    }

    /** A stream was made, which is not open. */
    public void streamMade() {
        count(LoopCount.MADE);
        count(LoopCount.PENDING);
    }

    /** Both sides have opened a stream. */
    public void streamOpened() {
        add(LoopCount.PENDING, -1);
        count(LoopCount.OPENED);
    }

    /** A stream has ended, which was open or not. */
    public void streamEnded(boolean wasPending, boolean inOrder) {
        if (wasPending) {
            add(LoopCount.PENDING, -1);
        }
        count(inOrder ? LoopCount.CLOSED : LoopCount.RESET);
    }

    /** The limit had no room for a link. Thread: any. */
    public void linkRefused() {
        counts.incrementAndGet(LoopCount.REFUSED_LINKS.ordinal());
    }

    /** Returns the channels over UCX that were accepted, by their clients. */
    public FairLimit acceptedStreams() {
        return acceptedStreams;
    }

    /** Returns the channels over plain TCP that were accepted, by their clients, and those that are not decided. */
    public FairLimit acceptedPlain() {
        return acceptedPlain;
    }

    /** The loop could use UCX for the last client of a server, or could not. */
    public void clientRefused(boolean refused) {
        refusedAt = refused ? System.nanoTime() : null;
    }

    /** A server has closed the socket of a peer that is no client of UCX, which learns nothing of the reason. */
    public void strangerRejected(SocketAddress peer, String why) {
        count(LoopCount.FAILED_HANDSHAKES);
        rejections.rejected(String.valueOf(peer),
                new HandshakeFailure(HandshakeFailure.Kind.PROTOCOL, new Rejection(why), null));
    }

    /** Returns the name of the loop. */
    public String loop() {
        return loop;
    }

    /** Returns what the loop was configured with. */
    public UcxNettyConfig config() {
        return config;
    }

    List<Engine> engines() {
        return engines;
    }

    /** Returns the channels that exist, those that still send after their close included. */
    public int channels() {
        // The ended channels first, so that one that ends meanwhile still counts.
        long gone = of(LoopCount.CLOSED) + of(LoopCount.RESET);
        return (int) Math.max(0, of(LoopCount.MADE) - gone);
    }

    /** Returns whether the loop could not use UCX for the last client of a server, which came a minute ago at most. */
    public boolean refusesClients() {
        return refusesClients(System.nanoTime());
    }

    boolean refusesClients(long nowNanos) {
        Long last = refusedAt;
        return last != null && nowNanos - last < REFUSAL_NANOS;
    }

    /** Returns the handshakes of links in progress. */
    public long pendingLinks() {
        return ofEngines(engine -> engine.handshakes().pending());
    }

    /** Returns the sockets at the ports of links that have become no link. */
    public long failedLinkHandshakes() {
        return ofEngines(engine -> engine.handshakes().failed());
    }

    /** Returns the bytes of the pools that data under way has leased. */
    public long leasedBytes() {
        return ofEngines(engine -> engine.pool().leasedBytes());
    }

    /** Returns the bytes that the pools have mapped. */
    public long slabBytes() {
        return ofEngines(engine -> engine.pool().slabBytes());
    }

    /** Returns how many bytes the pools may map: an engine has one. */
    public long maxBufferBytes() {
        return Math.max(1, engines.size()) * config.maxBufferBytes();
    }

    /** Returns how many links the loop accepts at a time: its engines each so many. */
    public long maxLinks() {
        return (long) Math.max(1, engines.size()) * config.maxLinks();
    }

    /** Returns how many channels over UCX the client with the most has. */
    public long largestClient() {
        return acceptedStreams.largestCount();
    }

    /** Returns how many channels over UCX one client may have. */
    public long maxChannelsOfClient() {
        return acceptedStreams.share();
    }

    /** Returns how many links the client with the most has, at one engine. */
    public long largestLinkClient() {
        return engines.stream().mapToLong(engine -> engine.links().largestCount()).max().orElse(0);
    }

    /** Returns how many links one client may have, at one engine. */
    public long maxLinksOfClient() {
        return FairLimit.share(config.maxLinks(), config.clientShare());
    }

    /** Returns how many handshakes of links may be in progress. */
    public long maxPendingLinks() {
        return (long) Math.max(1, engines.size()) * MAX_PENDING_LINKS;
    }

    /** Returns what the rings of the engines count. */
    public RingStatistics rings() {
        return engines.stream().map(engine -> engine.rings().get()).reduce(RingStatistics.NONE, RingStatistics::plus);
    }

    /** Returns what the encryption of the engines counts. */
    public EncryptionStatistics encryption() {
        return engines.stream().map(engine -> engine.encryption().get()).reduce(EncryptionStatistics.NONE,
                EncryptionStatistics::plus);
    }

    private long ofEngines(ToLongFunction<Engine> value) {
        return engines.stream().mapToLong(value).sum();
    }
}
