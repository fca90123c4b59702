package io.reactorucx.internal.mapped;

import io.reactorucx.core.ProcessIdentity;
import io.reactorucx.core.SharedPages;
import io.reactorucx.internal.buffer.MappedMemory;
import io.reactorucx.internal.frame.MappedFrame;
import java.lang.foreign.Arena;
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
    private final Map<Identity, PeerSlab> mapped = new HashMap<>();

    PeerSlabs(MappedMemory limit) {
        this.limit = limit;
    }

    /** What tells a slab from all others: whoever knows the key may map it. */
    record Identity(ProcessIdentity owner, int descriptor, long bytes, String key) {
    }

    MappedMemory limit() {
        return limit;
    }

    /** Maps a slab of a process, or finds it mapped. Returns null when that is not possible. */
    @Nullable PeerSlab map(ProcessIdentity owner, MappedFrame.Slab slab) {
        Identity identity = new Identity(owner, slab.descriptor(), slab.bytes(), HexFormat.of().formatHex(slab.key()));
        PeerSlab known = mapped.get(identity);
        if (known == null) {
            known = limit.reserve(slab.bytes()) ? map(identity, slab.key()) : null;
            if (known == null) {
                limit.slabRefused();
                return null;
            }
            mapped.put(identity, known);
        }
        return known.use();
    }

    private @Nullable PeerSlab map(Identity identity, byte[] key) {
        Arena arena = Arena.ofShared();
        SharedPages pages = null;
        try {
            pages = SharedPages.map(identity.owner, identity.descriptor, identity.bytes, key, arena);
        } finally {
            if (pages == null) {
                arena.close();
                limit.free(identity.bytes);
            }
        }
        return pages == null ? null : new PeerSlab(this, identity, pages, arena);
    }

    /** A slab is not used any more. */
    void remove(Identity identity) {
        mapped.remove(identity);
        limit.free(identity.bytes);
    }
}
