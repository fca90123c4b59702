package io.reactorucx.netty;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.reactorucx.transport.metrics.UcxMeter;
import java.util.Locale;

/** Every meter of loops: name, type, base unit and description. Their only tag is {@link Tag#LOOP}. */
// Micrometer is optional, so io.reactorucx.netty does not hand it on: a module without meters compiles without it.
@SuppressWarnings("exports")
public enum UcxNettyMeters implements UcxMeter {

    /** Channels that exist. */
    CHANNELS("channels.live", Meter.Type.GAUGE, Unit.CHANNELS,
            "channels that exist, also those that still send after their close"),
    /** The maximum number of channels of a loop. */
    CHANNELS_LIMIT("channels.live.limit", Meter.Type.GAUGE, Unit.CHANNELS,
            "limit of the channels of the loop, `maxChannels`"),
    /** Channels of the client with the most. */
    CLIENT_CHANNELS("channels.client", Meter.Type.GAUGE, Unit.CHANNELS,
            "accepted channels of the client, which is an address here, that has the most"),
    /** The maximum number of accepted channels of one client. */
    CLIENT_CHANNELS_LIMIT("channels.client.limit", Meter.Type.GAUGE, Unit.CHANNELS,
            "limit of the accepted channels of one client, `clientShare` of `maxChannels`"),
    /** Channels that the limit had no room for. */
    REFUSED_CHANNELS("channels.refused", Meter.Type.COUNTER, Unit.CHANNELS,
            "channels that were refused because the loop or the client had its limit of them"),
    /** Channels that both sides have opened. */
    OPENED_CHANNELS("channels.opened", Meter.Type.COUNTER, Unit.CHANNELS, "channels that both sides have opened"),
    /** Channels that have ended in order. */
    CLOSED_CHANNELS("channels.closed", Meter.Type.COUNTER, Unit.CHANNELS, "channels that have ended in order"),
    /** Channels that have ended without order. */
    RESET_CHANNELS("channels.reset", Meter.Type.COUNTER, Unit.CHANNELS,
            "channels that a side has reset, that were never opened, or whose peer was lost"),
    /** Channels whose bytes wait for credit. */
    WAITING_CHANNELS("channels.waiting", Meter.Type.GAUGE, Unit.CHANNELS,
            "channels whose written bytes wait until the peer has read"),
    /** Channels that are not open yet. */
    PENDING_HANDSHAKES("handshakes.pending", Meter.Type.GAUGE, Unit.CHANNELS, "channels that are not open yet"),
    /** Sockets whose handshake has failed. */
    FAILED_HANDSHAKES("handshakes.failed", Meter.Type.COUNTER, Unit.CHANNELS,
            "channels whose handshake has failed, or took too long"),
    /** Links that are open. */
    LINKS("links.live", Meter.Type.GAUGE, Unit.LINKS, "links that are open, in either direction"),
    /** How many links the loop accepts at a time. */
    LINKS_LIMIT("links.live.limit", Meter.Type.GAUGE, Unit.LINKS,
            "limit of the links that the loop accepts, `maxLinks`"),
    /** Links of the client with the most. */
    CLIENT_LINKS("links.client", Meter.Type.GAUGE, Unit.LINKS, "accepted links of the client that has the most"),
    /** The maximum number of accepted links of one client. */
    CLIENT_LINKS_LIMIT("links.client.limit", Meter.Type.GAUGE, Unit.LINKS,
            "limit of the accepted links of one client, `clientShare` of `maxLinks`"),
    /** Links that the limit had no room for. */
    REFUSED_LINKS("links.refused", Meter.Type.COUNTER, Unit.LINKS,
            "links that were refused because the loop or the client had its limit of them"),
    /** Links that the loop has made. */
    CONNECTED_LINKS("links.connected", Meter.Type.COUNTER, Unit.LINKS, "links that the loop has made"),
    /** Links that the loop has accepted. */
    ACCEPTED_LINKS("links.accepted", Meter.Type.COUNTER, Unit.LINKS, "links that the loop has accepted"),
    /** Links that failed. */
    FAILED_LINKS("links.failed", Meter.Type.COUNTER, Unit.LINKS,
            "links that the loop could not make, or whose peer was lost"),
    /** Handshakes of links in progress. */
    PENDING_LINKS("links.pending", Meter.Type.GAUGE, Unit.LINKS, "handshakes at the ports of links in progress"),
    /** The maximum number of handshakes of links in progress. */
    PENDING_LINKS_LIMIT("links.pending.limit", Meter.Type.GAUGE, Unit.LINKS,
            "limit of the handshakes at the ports of links in progress; beyond it the oldest ends"),
    /** Sockets at the ports of links that have become none. */
    FAILED_LINK_HANDSHAKES("links.handshakes.failed", Meter.Type.COUNTER, Unit.LINKS,
            "sockets at the ports of links that have become no link"),
    /** Times that a peer has broken the protocol. */
    VIOLATIONS("violations", Meter.Type.COUNTER, Unit.FRAMES,
            "frames of peers that broke the protocol, and ended their channel or link"),
    /** Bytes that channels have given to UCX. */
    SENT_BYTES("sent", Meter.Type.COUNTER, Unit.BYTES, "bytes of channels that were given to UCX"),
    /** Bytes that have come for channels. */
    RECEIVED_BYTES("received", Meter.Type.COUNTER, Unit.BYTES, "bytes that have come for channels"),
    /** Bytes of the pool under way. */
    LEASED_BYTES("buffers.leased", Meter.Type.GAUGE, Unit.BYTES, "bytes of the loop's pool with data under way"),
    /** Bytes that the loop's pool has mapped. */
    SLAB_BYTES("buffers.slabs", Meter.Type.GAUGE, Unit.BYTES, "bytes that the loop's pool has mapped"),
    /** How many bytes the loop's pool may map. */
    BUFFER_LIMIT("buffers.slabs.limit", Meter.Type.GAUGE, Unit.BYTES,
            "limit of the bytes that the loop's pool maps, `maxBufferBytes`"),
    /** Times that the loop began to spin. */
    SPINS("spins", Meter.Type.COUNTER, Unit.SPINS, "times that the loop had nothing to do and began to spin"),
    /** Times that the loop spun in vain. */
    VAIN_SPINS("spins.vain", Meter.Type.COUNTER, Unit.SPINS, "times that nothing came while the loop spun"),
    /** Times that the loop slept. */
    SLEEPS("sleeps", Meter.Type.COUNTER, Unit.SLEEPS, "times that the loop slept in epoll");

    private static final String PREFIX = "reactor.ucx.netty.";

    private final String meterName;
    private final Meter.Type type;
    private final Unit unit;
    private final String description;

    UcxNettyMeters(String meterName, Meter.Type type, Unit unit, String description) {
        this.meterName = meterName;
        this.type = type;
        this.unit = unit;
        this.description = description;
    }

    private enum Unit {
        CHANNELS, LINKS, FRAMES, BYTES, SPINS, SLEEPS;

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
