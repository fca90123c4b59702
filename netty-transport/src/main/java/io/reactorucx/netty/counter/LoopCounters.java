package io.reactorucx.netty.counter;

import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.netty.UcxNettyConfig;
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
import java.util.concurrent.atomic.AtomicLong;
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
    private final AtomicLong made = new AtomicLong();
    private final AtomicLong closed = new AtomicLong();
    private final AtomicLong opened = new AtomicLong();
    private final AtomicLong reset = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong broken = new AtomicLong();
    private final AtomicLong violations = new AtomicLong();
    private final AtomicLong failedHandshakes = new AtomicLong();
    private final AtomicLong sentBytes = new AtomicLong();
    private final AtomicLong receivedBytes = new AtomicLong();
    private final AtomicLong waiting = new AtomicLong();
    private final AtomicLong pending = new AtomicLong();
    private final AtomicLong links = new AtomicLong();
    private final AtomicLong connectedLinks = new AtomicLong();
    private final AtomicLong acceptedLinks = new AtomicLong();
    private final AtomicLong failedLinks = new AtomicLong();
    private final AtomicLong spins = new AtomicLong();
    private final AtomicLong vainSpins = new AtomicLong();
    private final AtomicLong sleeps = new AtomicLong();
    /** The only one that several threads write. */
    private final AtomicLong refusedLinks = new AtomicLong();
    private final AtomicLong plainChannels = new AtomicLong();
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
     */
    public record Engine(ProgressEngine engine, HandshakeCounters handshakes, BufferPool pool, FairLimit links) {
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

    private static void add(AtomicLong counter, long more) {
        counter.setOpaque(counter.getPlain() + more);
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
        add(made, 1);
        add(pending, 1);
    }

    /** Returns the channels over UCX that were accepted, by their clients. */
    public FairLimit acceptedStreams() {
        return acceptedStreams;
    }

    /** Returns the channels over plain TCP that were accepted, by their clients, and those that are not decided. */
    public FairLimit acceptedPlain() {
        return acceptedPlain;
    }

    /** The limit had no room for a channel, or the client's share had none. */
    public void channelRefused() {
        add(refused, 1);
    }

    /** Both sides have opened a stream. */
    public void streamOpened() {
        add(pending, -1);
        add(opened, 1);
    }

    /** A stream has ended, which was open or not. */
    public void streamEnded(boolean wasPending, boolean inOrder) {
        if (wasPending) {
            add(pending, -1);
        }
        add(inOrder ? closed : reset, 1);
    }

    /** A channel is told that its stream has ended without order. */
    public void streamBroken() {
        add(broken, 1);
    }

    /** A stream waits for credit, or does no more. */
    public void streamWaits(boolean waits) {
        add(waiting, waits ? 1 : -1);
    }

    /** A peer has broken the protocol. */
    public void violated() {
        add(violations, 1);
    }

    /** The loop could use UCX for the last client of a server, or could not. */
    public void clientRefused(boolean refused) {
        refusedAt = refused ? System.nanoTime() : null;
    }

    /** A channel's handshake has failed. */
    public void handshakeFailed() {
        add(failedHandshakes, 1);
    }

    /** A server has closed the socket of a peer that is no client of UCX, which learns nothing of the reason. */
    public void strangerRejected(SocketAddress peer, String why) {
        handshakeFailed();
        rejections.rejected(String.valueOf(peer),
                new HandshakeFailure(HandshakeFailure.Kind.PROTOCOL, new Rejection(why), null));
    }

    /** UCX was given bytes. */
    public void sent(int bytes) {
        add(sentBytes, bytes);
    }

    /** Bytes have come. */
    public void received(int bytes) {
        add(receivedBytes, bytes);
    }

    /** A link is open. */
    public void linkOpened() {
        add(links, 1);
    }

    /** An open link has ended. */
    public void linkClosed(boolean lost) {
        add(links, -1);
        if (lost) {
            linkFailed();
        }
    }

    /** This loop has made a link. */
    public void linkConnected() {
        add(connectedLinks, 1);
    }

    /** This loop has accepted a link. */
    public void linkAccepted() {
        add(acceptedLinks, 1);
    }

    /** This loop could not make a link, or one was lost. */
    public void linkFailed() {
        add(failedLinks, 1);
    }

    /** The limit had no room for a link. Thread: any. */
    public void linkRefused() {
        refusedLinks.incrementAndGet();
    }

    /** The loop begins to spin. */
    public void spun() {
        add(spins, 1);
    }

    /** The loop has spun in vain. */
    public void spunInVain() {
        add(vainSpins, 1);
    }

    /** The loop sleeps. */
    public void slept() {
        add(sleeps, 1);
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

    /** A channel goes over its TCP socket, or may do so. */
    public void plainOpened() {
        add(plainChannels, 1);
    }

    /** The socket of such a channel has closed, or its peer is a client of UCX. */
    public void plainClosed() {
        add(plainChannels, -1);
    }

    /** Returns the channels that go over their TCP sockets, or may do so. */
    public int plainChannels() {
        return (int) plainChannels.getOpaque();
    }

    /** Returns the channels that exist, those that still send after their close included. */
    public int channels() {
        // The ended channels first, so that one that ends meanwhile still counts.
        long gone = closed.getOpaque() + reset.getOpaque();
        return (int) Math.max(0, made.getOpaque() - gone);
    }

    /** Returns the channels that both sides have opened. */
    public long openedChannels() {
        return opened.getOpaque();
    }

    /** Returns the channels that have ended in order. */
    public long closedChannels() {
        return closed.getOpaque();
    }

    /** Returns the channels that one of the sides has reset, or whose peer was lost. */
    public long resetChannels() {
        return reset.getOpaque();
    }

    /** Returns the channels that the limit had no room for. */
    public long refusedChannels() {
        return refused.getOpaque();
    }

    /** Returns whether the loop could not use UCX for the last client of a server, which came a minute ago at most. */
    public boolean refusesClients() {
        return refusesClients(System.nanoTime());
    }

    boolean refusesClients(long nowNanos) {
        Long last = refusedAt;
        return last != null && nowNanos - last < REFUSAL_NANOS;
    }

    /** Returns the channels whose bytes wait for credit of the peer. */
    public long waitingChannels() {
        return waiting.getOpaque();
    }

    /** Returns the channels that are not open yet. */
    public long pendingHandshakes() {
        return pending.getOpaque();
    }

    /** Returns the channels that were told that they have ended without order. */
    public long broken() {
        return broken.getOpaque();
    }

    /** Returns how often a peer has broken the protocol. */
    public long violations() {
        return violations.getOpaque();
    }

    /** Returns the sockets whose handshake has failed. */
    public long failedHandshakes() {
        return failedHandshakes.getOpaque();
    }

    /** Returns the bytes that channels have given to UCX. */
    public long sentBytes() {
        return sentBytes.getOpaque();
    }

    /** Returns the bytes that have come for channels. */
    public long receivedBytes() {
        return receivedBytes.getOpaque();
    }

    /** Returns the links that are open, in either direction. */
    public int links() {
        return (int) links.getOpaque();
    }

    /** Returns the links that this loop has made. */
    public long connectedLinks() {
        return connectedLinks.getOpaque();
    }

    /** Returns the links that this loop has accepted. */
    public long acceptedLinks() {
        return acceptedLinks.getOpaque();
    }

    /** Returns the links that this loop could not make, or that were lost. */
    public long failedLinks() {
        return failedLinks.getOpaque();
    }

    /** Returns the links that the limit had no room for. */
    public long refusedLinks() {
        return refusedLinks.get();
    }

    /** Returns how often the loop has begun to spin. */
    public long spins() {
        return spins.getOpaque();
    }

    /** Returns how often the loop has spun in vain. */
    public long vainSpins() {
        return vainSpins.getOpaque();
    }

    /** Returns how often the loop has slept. */
    public long sleeps() {
        return sleeps.getOpaque();
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

    private long ofEngines(ToLongFunction<Engine> value) {
        return engines.stream().mapToLong(value).sum();
    }
}
