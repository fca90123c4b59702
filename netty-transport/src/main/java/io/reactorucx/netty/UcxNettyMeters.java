package io.reactorucx.netty;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.reactorucx.netty.counter.LoopCount;
import io.reactorucx.netty.counter.LoopCounters;
import io.reactorucx.transport.metrics.UcxMeter;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Every meter of loops: name, type, base unit and description. Their only tag is {@link Tag#LOOP}. */
// Micrometer is optional, so io.reactorucx.netty does not hand it on: a module without meters compiles without it.
@SuppressWarnings("exports")
public enum UcxNettyMeters implements UcxMeter {

    /** Channels that exist. */
    CHANNELS("channels.live", Meter.Type.GAUGE, Unit.CHANNELS,
            "channels that exist, also those that still send after their close", LoopCounters::channels),
    /** The maximum number of channels of a loop. */
    CHANNELS_LIMIT("channels.live.limit", Meter.Type.GAUGE, Unit.CHANNELS,
            "limit of the channels of the loop, `maxChannels`", loop -> loop.config().maxChannels()),
    /** Channels of the client with the most. */
    CLIENT_CHANNELS("channels.client", Meter.Type.GAUGE, Unit.CHANNELS,
            "accepted channels of the client, which is an address here, that has the most",
            LoopCounters::largestClient),
    /** The maximum number of accepted channels of one client. */
    CLIENT_CHANNELS_LIMIT("channels.client.limit", Meter.Type.GAUGE, Unit.CHANNELS,
            "limit of the accepted channels of one client, `clientShare` of `maxChannels`",
            LoopCounters::maxChannelsOfClient),
    /** Channels that the limit had no room for. */
    REFUSED_CHANNELS("channels.refused", Meter.Type.COUNTER, Unit.CHANNELS,
            "channels that were refused because the loop or the client had its limit of them", LoopCount.REFUSED),
    /** Channels that both sides have opened. */
    OPENED_CHANNELS("channels.opened", Meter.Type.COUNTER, Unit.CHANNELS, "channels that both sides have opened",
            LoopCount.OPENED),
    /** Channels that have ended in order. */
    CLOSED_CHANNELS("channels.closed", Meter.Type.COUNTER, Unit.CHANNELS, "channels that have ended in order",
            LoopCount.CLOSED),
    /** Channels that have ended without order. */
    RESET_CHANNELS("channels.reset", Meter.Type.COUNTER, Unit.CHANNELS,
            "channels that a side has reset, that were never opened, or whose peer was lost", LoopCount.RESET),
    /** Channels whose bytes wait for credit. */
    WAITING_CHANNELS("channels.waiting", Meter.Type.GAUGE, Unit.CHANNELS,
            "channels whose written bytes wait until the peer has read", LoopCount.WAITING),
    /** Channels that are not open yet. */
    PENDING_HANDSHAKES("handshakes.pending", Meter.Type.GAUGE, Unit.CHANNELS, "channels that are not open yet",
            LoopCount.PENDING),
    /** Sockets whose handshake has failed. */
    FAILED_HANDSHAKES("handshakes.failed", Meter.Type.COUNTER, Unit.CHANNELS,
            "channels whose handshake has failed, or took too long", LoopCount.FAILED_HANDSHAKES),
    /** Links that are open. */
    LINKS("links.live", Meter.Type.GAUGE, Unit.LINKS, "links that are open, in either direction", LoopCount.LINKS),
    /** How many links the loop accepts at a time. */
    LINKS_LIMIT("links.live.limit", Meter.Type.GAUGE, Unit.LINKS,
            "limit of the links that the loop accepts, `maxLinks`", LoopCounters::maxLinks),
    /** Links of the client with the most. */
    CLIENT_LINKS("links.client", Meter.Type.GAUGE, Unit.LINKS, "accepted links of the client that has the most",
            LoopCounters::largestLinkClient),
    /** The maximum number of accepted links of one client. */
    CLIENT_LINKS_LIMIT("links.client.limit", Meter.Type.GAUGE, Unit.LINKS,
            "limit of the accepted links of one client, `clientShare` of `maxLinks`", LoopCounters::maxLinksOfClient),
    /** Links that the limit had no room for. */
    REFUSED_LINKS("links.refused", Meter.Type.COUNTER, Unit.LINKS,
            "links that were refused because the loop or the client had its limit of them", LoopCount.REFUSED_LINKS),
    /** Links that the loop has made. */
    CONNECTED_LINKS("links.connected", Meter.Type.COUNTER, Unit.LINKS, "links that the loop has made",
            LoopCount.CONNECTED_LINKS),
    /** Links that the loop has accepted. */
    ACCEPTED_LINKS("links.accepted", Meter.Type.COUNTER, Unit.LINKS, "links that the loop has accepted",
            LoopCount.ACCEPTED_LINKS),
    /** Links that failed. */
    FAILED_LINKS("links.failed", Meter.Type.COUNTER, Unit.LINKS,
            "links that the loop could not make, or whose peer was lost", LoopCount.FAILED_LINKS),
    /** Handshakes of links in progress. */
    PENDING_LINKS("links.pending", Meter.Type.GAUGE, Unit.LINKS, "handshakes at the ports of links in progress",
            LoopCounters::pendingLinks),
    /** The maximum number of handshakes of links in progress. */
    PENDING_LINKS_LIMIT("links.pending.limit", Meter.Type.GAUGE, Unit.LINKS,
            "limit of the handshakes at the ports of links in progress; beyond it the oldest of the address"
                    + " with the most ends",
            LoopCounters::maxPendingLinks),
    /** Sockets at the ports of links that have become none. */
    FAILED_LINK_HANDSHAKES("links.handshakes.failed", Meter.Type.COUNTER, Unit.LINKS,
            "sockets at the ports of links that have become no link", LoopCounters::failedLinkHandshakes),
    /** Times that a peer has broken the protocol. */
    VIOLATIONS("violations", Meter.Type.COUNTER, Unit.FRAMES,
            "frames of peers that broke the protocol, and ended their channel or link", LoopCount.VIOLATIONS),
    /** Bytes that channels have given to UCX. */
    SENT_BYTES("sent", Meter.Type.COUNTER, Unit.BYTES, "bytes of channels that were given to UCX",
            LoopCount.SENT_BYTES),
    /** Bytes that have come for channels. */
    RECEIVED_BYTES("received", Meter.Type.COUNTER, Unit.BYTES, "bytes that have come for channels",
            LoopCount.RECEIVED_BYTES),
    /** Bytes of the pool under way. */
    LEASED_BYTES("buffers.leased", Meter.Type.GAUGE, Unit.BYTES, "bytes of the loop's pool with data under way",
            LoopCounters::leasedBytes),
    /** Bytes that the loop's pool has mapped. */
    SLAB_BYTES("buffers.slabs", Meter.Type.GAUGE, Unit.BYTES, "bytes that the loop's pool has mapped",
            LoopCounters::slabBytes),
    /** How many bytes the loop's pool may map. */
    BUFFER_LIMIT("buffers.slabs.limit", Meter.Type.GAUGE, Unit.BYTES,
            "limit of the bytes that the loop's pool maps, `maxBufferBytes`", LoopCounters::maxBufferBytes),
    /** Pairs of rings that are open. */
    RINGS("rings.open", Meter.Type.GAUGE, Unit.PAIRS,
            "pairs of rings in memory, one for each loop of this host to which frames of links go that way",
            loop -> loop.rings().pairs()),
    /** Records that were written into rings. */
    RING_SENT_RECORDS("rings.sent", Meter.Type.COUNTER, Unit.RECORDS, "records that were written into rings",
            loop -> loop.rings().sentRecords()),
    /** Records that were read from rings. */
    RING_RECEIVED_RECORDS("rings.received", Meter.Type.COUNTER, Unit.RECORDS, "records that were read from rings",
            loop -> loop.rings().receivedRecords()),
    /** Records that had to wait. */
    RING_WAITS("rings.waits", Meter.Type.COUNTER, Unit.RECORDS,
            "records that had to wait for room in their ring, or until both sides had agreed on it",
            loop -> loop.rings().waits()),
    /** Times that a peer was woken for its ring. */
    RING_WAKE_UPS("rings.wakeups", Meter.Type.COUNTER, Unit.SIGNALS,
            "times that a loop which slept was woken for its ring", loop -> loop.rings().wakeUps()),
    /** Links between loops of one host that go on without rings. */
    DECLINED_RINGS("rings.declined", Meter.Type.COUNTER, Unit.LINKS,
            "links with loops of this host that go on without rings: beyond a limit, or the memory could not be mapped",
            loop -> loop.rings().declinedConnections()),
    /** Links whose data is encrypted. */
    ENCRYPTED_LINKS("encryption.links", Meter.Type.COUNTER, Unit.LINKS,
            "links whose data is encrypted, ended ones included", loop -> loop.encryption().encryptedConnections()),
    /** Links whose encrypted data was not what the peer has sent. */
    BROKEN_ENCRYPTION("encryption.links.broken", Meter.Type.COUNTER, Unit.LINKS,
            "links that ended because an encrypted record was changed, repeated or left out",
            loop -> loop.encryption().brokenConnections()),
    /** Records that were encrypted. */
    SEALED_RECORDS("encryption.sealed.records", Meter.Type.COUNTER, Unit.RECORDS,
            "records and parts of large frames that were encrypted", loop -> loop.encryption().sealedRecords()),
    /** Bytes of the records that SEALED_RECORDS counts. */
    SEALED_BYTES("encryption.sealed.bytes", Meter.Type.COUNTER, Unit.BYTES,
            "bytes of records and parts of large frames before they were encrypted",
            loop -> loop.encryption().sealedBytes()),
    /** Records that were decrypted. */
    OPENED_RECORDS("encryption.opened.records", Meter.Type.COUNTER, Unit.RECORDS,
            "records and parts of large frames that were decrypted", loop -> loop.encryption().openedRecords()),
    /** Bytes of the records that OPENED_RECORDS counts. */
    OPENED_BYTES("encryption.opened.bytes", Meter.Type.COUNTER, Unit.BYTES,
            "bytes of records and parts of large frames after they were decrypted",
            loop -> loop.encryption().openedBytes()),
    /** Native memory of encrypted frames. */
    ENCRYPTION_MEMORY("encryption.memory", Meter.Type.GAUGE, Unit.BYTES,
            "native memory of encrypted frames that are on their way, and what is kept of it for the next ones",
            loop -> loop.encryption().memoryBytes()),
    /** Times that the loop began to spin. */
    SPINS("spins", Meter.Type.COUNTER, Unit.SPINS, "times that the loop had nothing to do and began to spin",
            LoopCount.SPINS),
    /** Times that the loop spun in vain. */
    VAIN_SPINS("spins.vain", Meter.Type.COUNTER, Unit.SPINS, "times that nothing came while the loop spun",
            LoopCount.VAIN_SPINS),
    /** Times that the loop slept. */
    SLEEPS("sleeps", Meter.Type.COUNTER, Unit.SLEEPS, "times that the loop slept in epoll", LoopCount.SLEEPS);

    private static final String PREFIX = "reactor.ucx.netty.";

    private final String meterName;
    private final Meter.Type type;
    private final Unit unit;
    private final String description;
    private final ToDoubleFunction<LoopCounters> value;

    UcxNettyMeters(String meterName, Meter.Type type, Unit unit, String description, LoopCount count) {
        this(meterName, type, unit, description, loop -> loop.of(count));
    }

    UcxNettyMeters(String meterName, Meter.Type type, Unit unit, String description,
            ToDoubleFunction<LoopCounters> value) {
        this.meterName = meterName;
        this.type = type;
        this.unit = unit;
        this.description = description;
        this.value = value;
    }

    ToDoubleFunction<LoopCounters> value() {
        return value;
    }

    private enum Unit {
        CHANNELS, LINKS, FRAMES, BYTES, PAIRS, RECORDS, SIGNALS, SPINS, SLEEPS;

        private String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Override
    public String getName() {
        return PREFIX + meterName;
    }

    @Override
    public Meter.Type getType() {
        return type;
    }

    @Override
    public String getBaseUnit() {
        return unit.text();
    }

    @Override
    public String description() {
        return description;
    }

    @Override
    public KeyName[] getKeyNames() {
        return Tag.values();
    }

    /** The tags. */
    public enum Tag implements KeyName {
        /** Name of the loop. */
        LOOP;

        @Override
        public String asString() {
            return "loop";
        }
    }
}
