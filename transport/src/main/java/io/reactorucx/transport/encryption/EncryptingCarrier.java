package io.reactorucx.transport.encryption;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.Completion;
import io.reactorucx.core.DataPlacement;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.UcxTransportKind;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.security.EncryptionConfig;
import io.reactorucx.security.EncryptionMode;
import io.reactorucx.transport.carrier.Carrier;
import io.reactorucx.transport.carrier.CarrierLayer;
import io.reactorucx.transport.carrier.LargeMessages;
import io.reactorucx.transport.config.TransportRequirement;
import io.reactorucx.transport.frame.FrameBytes;
import io.reactorucx.transport.frame.ReservedMessageIds;
import io.reactorucx.transport.handshake.ConnectionIdentity;
import io.reactorucx.transport.handshake.EncryptionOffer;
import io.reactorucx.transport.handshake.PeerOrigin;
import io.reactorucx.transport.record.BulkSealer;
import io.reactorucx.transport.record.RecordLimits;
import io.reactorucx.transport.record.RecordSealer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A carrier whose frames are records within the frames of another one: small ones are copied into one frame, of large
 * ones the header is a record and the data is encrypted to another place. Where both sides may leave data clear, and it
 * stays in memory of the host, frames go as they are.
 *
 * <p>Thread: engine.
 */
final class EncryptingCarrier extends CarrierLayer {

    private static final TransportRequirement WITHIN_HOST = TransportRequirement.of(UcxTransportKind.SHARED_MEMORY,
            UcxTransportKind.SELF);

    private final ConnectionIdentity identity;
    private final EncryptionConfig config;
    private final Supplier<RecordMemory> memories;
    private final EncryptionCounters counters;
    private @Nullable Sealers sealers;
    private volatile boolean encrypts = true;
    /** Whether rings are possible, which UCX is asked once: it takes longer than a message. */
    private boolean hasRings;
    private boolean opening;

    /** What seals, once both sides have agreed on a cipher. */
    private record Sealers(RecordMemory memory, FrameSealer messages, FrameSealer control, FrameSealer offers,
            BulkSealer bulk) {

        static Sealers of(RecordMemory memory, ConnectionKeys keys, RecordLimits limits) {
            return new Sealers(memory, sealer(RecordFrame.Kind.MESSAGE, keys, limits),
                    sealer(RecordFrame.Kind.CONTROL, keys, limits), sealer(RecordFrame.Kind.OFFER, keys, limits),
                    new BulkSealer(keys.toSealBulk(), limits));
        }

        private static FrameSealer sealer(RecordFrame.Kind kind, ConnectionKeys keys, RecordLimits limits) {
            return new FrameSealer(kind, keys.toSeal(kind), limits);
        }
    }

    EncryptingCarrier(Carrier below, ConnectionIdentity identity, EncryptionConfig config,
            Supplier<RecordMemory> memories, EncryptionCounters counters) {
        super(below);
        this.identity = identity;
        this.config = config;
        this.memories = memories;
        this.counters = counters;
    }

    /**
     * The two sides have agreed. Data stays clear only if all ways that it may take lead through memory of the host.
     */
    void agreed(EncryptionMode mode, ConnectionKeys keys) {
        List<String> ways = transports();
        encrypts = mode == EncryptionMode.REQUIRED || ways.isEmpty() || !WITHIN_HOST.allowsAll(ways);
        hasRings = sharesQueue();
        if (encrypts) {
            sealers = Sealers.of(memories.get(), keys, new RecordLimits(config.recordsPerKey(),
                    config.bytesPerKey()));
            counters.countConnection();
        }
    }

    private Sealers sealers() {
        return Objects.requireNonNull(sealers, "the two sides have not agreed yet");
    }

    private RecordMemory memory() {
        return sealers().memory;
    }

    @Override
    public Carrier below() {
        return rest();
    }

    @Override
    public boolean isEncrypted() {
        return encrypts;
    }

    @Override
    public boolean allowsRaw() {
        return !encrypts || config.rawOperationsAllowed();
    }

    @Override
    public boolean admits(int reservedId) {
        // Within a host a message of the rings may also wake this side, and has nothing in it.
        boolean admitted = !encrypts || opening || reservedId == ReservedMessageIds.RECORDS
                || reservedId == ReservedMessageIds.RINGS && hasRings;
        if (!admitted) {
            counters.countBroken();
        }
        return admitted;
    }

    @Override
    public int maxHeaderBytes() {
        return rest().maxHeaderBytes() - EncryptionOffer.HEADER_BYTES;
    }

    /** Data is not encrypted in memory that the peer has mapped. */
    @Override
    public boolean takesLarge(LargeMessages way) {
        return encrypts;
    }

    @Override
    public boolean sendsNow() {
        return rest().sendsNow();
    }

    @Override
    public boolean sendNow(int reservedId, byte[] bytes, int size) {
        if (!encrypts) {
            return rest().sendNow(reservedId, bytes, size);
        }
        if (!rest().sendsNow() || RecordFrame.HEAD_BYTES + size > RecordSealer.MAX_BYTES) {
            return false;
        }
        putHead(reservedId, 0);
        System.arraycopy(bytes, 0, memory().plain, RecordFrame.HEAD_BYTES, size);
        // Where the ring is full by now, the record waits for room: what was sealed cannot be taken back.
        post(sealers().messages, RecordFrame.HEAD_BYTES + size, (status, length, tag) -> { });
        return true;
    }

    @Override
    public boolean send(int reservedId, MemorySegment header, MemorySegment payload, @Nullable UcpMemory registration,
            AmProtocol protocol, Completion whenDone) {
        if (!encrypts) {
            return rest().send(reservedId, header, payload, registration, protocol, whenDone);
        }
        rest().checkSend(reservedId, header, payload, registration);
        long bytes = RecordFrame.HEAD_BYTES + header.byteSize() + payload.byteSize();
        boolean large = protocol == AmProtocol.RENDEZVOUS || bytes > RecordSealer.MAX_BYTES;
        // Before something is encrypted that could not be sent.
        if (!(large ? rest().ofLargeFrames().hasRoom(protocol) : rest().hasRoom(AmProtocol.EAGER))) {
            throw new UcxException(UcxStatus.NO_RESOURCE, "am_send", null, "as many operations are in flight"
                    + " as may be");
        }
        if (large) {
            return sendLarge(reservedId, header, payload, protocol, whenDone);
        }
        int headerBytes = (int) header.byteSize();
        putHead(reservedId, headerBytes);
        copy(header, 0, RecordFrame.HEAD_BYTES, headerBytes);
        copy(payload, 0, RecordFrame.HEAD_BYTES + headerBytes, (int) payload.byteSize());
        return post(sealers().messages, (int) bytes, whenDone);
    }

    @Override
    public boolean sendUrgent(int reservedId, MemorySegment payload, Completion whenDone) {
        if (!encrypts) {
            return rest().sendUrgent(reservedId, payload, whenDone);
        }
        FrameSealer sealer = sealers().control;
        putHead(reservedId, 0);
        copy(payload, 0, RecordFrame.HEAD_BYTES, (int) payload.byteSize());
        int size = seal(sealer, RecordFrame.HEAD_BYTES + (int) payload.byteSize());
        MemorySegment frame = Arena.ofAuto().allocate(size).copyFrom(MemorySegment.ofArray(memory().sealed).asSlice(0,
                size));
        boolean free = rest().sendUrgent(ReservedMessageIds.RECORDS, frame, whenDone);
        sealer.sent();
        return free;
    }

    private void putHead(int reservedId, int headerBytes) {
        FrameBytes.putShort(memory().plain, 0, (short) reservedId);
        FrameBytes.putShort(memory().plain, Short.BYTES, (short) headerBytes);
    }

    private void copy(MemorySegment from, long offset, int at, int bytes) {
        MemorySegment.copy(from, ValueLayout.JAVA_BYTE, offset, memory().plain, at, bytes);
    }

    private int seal(FrameSealer sealer, int bytes) {
        counters.countSealed(bytes);
        return sealer.seal(identity.peerToken(), memory().plain, bytes, memory().sealed);
    }

    /** Seals a record, and sends it. Returns whether that is done. */
    private boolean post(FrameSealer sealer, int bytes, Completion whenDone) {
        int size = seal(sealer, bytes);
        if (rest().sendsNow() && rest().sendNow(ReservedMessageIds.RECORDS, memory().sealed, size)) {
            sealer.sent();
            return true;
        }
        RecordMemory.Block block = memory().take(size);
        MemorySegment.copy(memory().sealed, 0, block.memory(), ValueLayout.JAVA_BYTE, 0, size);
        boolean free = true;
        try {
            free = rest().send(ReservedMessageIds.RECORDS, MemorySegment.NULL, block.memory().asSlice(0, size), null,
                    AmProtocol.EAGER, (status, length, tag) -> {
                        memory().give(block);
                        whenDone.complete(status, length, tag);
                    });
        } finally {
            if (free) {
                memory().give(block);
            }
        }
        sealer.sent();
        return free;
    }

    /** Encrypts the data, and sends that with a record of the header. */
    private boolean sendLarge(int reservedId, MemorySegment header, MemorySegment payload, AmProtocol protocol,
            Completion whenDone) {
        long length = payload.byteSize();
        int headerBytes = (int) header.byteSize();
        int tagBytes = Math.toIntExact(BulkSealer.parts(length) * BulkSealer.TAG_BYTES);
        int frameBytes = RecordFrame.MOST_BEFORE_RECORD + RecordSealer.OVERHEAD_BYTES + RecordFrame.OFFER_HEAD_BYTES
                + headerBytes;
        boolean tagsInHeader = frameBytes + tagBytes <= rest().maxHeaderBytes();
        long dataBytes = tagsInHeader ? length : length + tagBytes;
        PeerOrigin peer = identity.origin();
        memory().acquire(peer, dataBytes);
        byte[] tags = new byte[tagBytes];
        RecordMemory.Block block = null;
        boolean free = true;
        try {
            RecordMemory.Block taken = memory().take(dataBytes);
            block = taken;
            Sealers by = sealers();
            long first = by.bulk.begin(length);
            MemorySegment data = taken.memory().asSlice(0, dataBytes);
            sealData(payload, data, tags);
            if (!tagsInHeader) {
                MemorySegment.copy(tags, 0, data, ValueLayout.JAVA_BYTE, length, tagBytes);
            }
            putHead(reservedId, headerBytes);
            FrameBytes.putInt(memory().plain, RecordFrame.HEAD_BYTES, by.bulk.phase());
            FrameBytes.putLong(memory().plain, RecordFrame.HEAD_BYTES + Integer.BYTES, first);
            FrameBytes.putLong(memory().plain, RecordFrame.HEAD_BYTES + Integer.BYTES + Long.BYTES, length);
            copy(header, 0, RecordFrame.OFFER_HEAD_BYTES, headerBytes);
            int size = seal(by.offers, RecordFrame.OFFER_HEAD_BYTES + headerBytes);
            byte[] framed = Arrays.copyOf(memory().sealed, tagsInHeader ? size + tagBytes : size);
            if (tagsInHeader) {
                System.arraycopy(tags, 0, framed, size, tagBytes);
            }
            free = rest().ofLargeFrames().send(ReservedMessageIds.RECORDS, MemorySegment.ofArray(framed), data, null,
                    protocol, (status, sent, tag) -> {
                        memory().give(taken);
                        memory().release(peer, dataBytes);
                        whenDone.complete(status, sent, tag);
                    });
            by.offers.sent();
            by.bulk.sent();
            return free;
        } finally {
            if (free) {
                memory().release(peer, dataBytes);
                if (block != null) {
                    memory().give(block);
                }
            }
        }
    }

    private void sealData(MemorySegment payload, MemorySegment to, byte[] tags) {
        long length = payload.byteSize();
        int part = 0;
        for (long at = 0; at < length; at += BulkSealer.PART_BYTES) {
            int bytes = (int) Math.min(BulkSealer.PART_BYTES, length - at);
            copy(payload, at, 0, bytes);
            sealers().bulk.seal(memory().plain, 0, bytes, memory().sealed, 0);
            MemorySegment.copy(memory().sealed, 0, to, ValueLayout.JAVA_BYTE, at, bytes);
            System.arraycopy(memory().sealed, bytes, tags, part++ * BulkSealer.TAG_BYTES, BulkSealer.TAG_BYTES);
            counters.countSealed(bytes);
        }
    }

    /** Hands a message on that was in a record. */
    void opened(int reservedId, DataPlacement.Source source, long offset, int headerBytes, int payloadBytes) {
        opening = true;
        try {
            rest().arrived(reservedId, source, offset, headerBytes, payloadBytes);
        } finally {
            opening = false;
        }
    }
}
