package io.reactorucx.internal.mapped;

import io.reactorucx.core.shm.ProcessIdentity;
import io.reactorucx.core.shm.SharedPages;
import io.reactorucx.internal.frame.MappedFrame;
import io.reactorucx.transport.buffer.MappedMemory;
import io.reactorucx.transport.handshake.FairLimit;
import io.reactorucx.transport.handshake.PeerOrigin;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The memory of peers that one engine has mapped, each slab once for all connections with its process.
 *
 * <p>Thread: engine.
 */
final class PeerSlabs {

    private final MappedMemory limit;
    private final FairLimit shares;
    private final Map<Identity, PeerSlab> mapped = new HashMap<>();

    PeerSlabs(MappedMemory limit, FairLimit shares) {
        this.limit = limit;
        this.shares = shares;
    }

    /** The identity that tells a slab from all others: whoever knows the key may map the slab. */
    record Identity(ProcessIdentity owner, int descriptor, long bytes, String key) {

        /** Whose share the slab takes: it is mapped by a descriptor of the process, which can be no other's. */
        PeerOrigin origin() {
            return new PeerOrigin(InetAddress.getLoopbackAddress(), owner);
        }
    }

    MappedMemory limit() {
        return limit;
    }

    /** Maps a slab of a process, or finds it mapped. Returns null when that is not possible. */
    @Nullable PeerSlab map(ProcessIdentity owner, MappedFrame.Slab slab) {
        Identity identity = new Identity(owner, slab.descriptor(), slab.bytes(), HexFormat.of().formatHex(slab.key()));
        PeerSlab known = mapped.get(identity);
        if (known == null) {
            known = reserve(identity) ? map(identity, slab.key()) : null;
            if (known == null) {
                limit.slabRefused();
                return null;
            }
            mapped.put(identity, known);
        }
        return known.use();
    }

    private boolean reserve(Identity identity) {
        PeerOrigin owner = identity.origin();
        boolean reserved = shares.tryAcquire(owner, identity.bytes) == FairLimit.Outcome.ACQUIRED;
        if (reserved && !limit.reserve(identity.bytes)) {
            shares.release(owner, identity.bytes);
            return false;
        }
        return reserved;
    }

    private void free(Identity identity) {
        limit.free(identity.bytes);
        shares.release(identity.origin(), identity.bytes);
    }

    private @Nullable PeerSlab map(Identity identity, byte[] key) {
        Arena arena = Arena.ofShared();
        SharedPages pages = null;
        try {
            pages = SharedPages.map(identity.owner, identity.descriptor, identity.bytes, key, arena);
        } finally {
            if (pages == null) {
                arena.close();
                free(identity);
            }
        }
        return pages == null ? null : new PeerSlab(this, identity, pages, arena);
    }

    /** A slab is not used any more. */
    void remove(Identity identity) {
        mapped.remove(identity);
        free(identity);
    }
}
