package io.reactorucx.internal.memory;

import io.reactorucx.core.MemoryDescriptor;
import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpFeature;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.internal.lease.LeasePool;
import io.reactorucx.memory.MemoryPath;
import io.reactorucx.memory.WindowDescriptor;
import io.reactorucx.transport.connection.ConnectionCore;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Makes the accesses of one connection to windows of its peer.
 *
 * @param pool pool of the leases of reads
 */
public record MemoryAccessFactory(ConnectionCore connection, UcpContext context, LeasePool pool) {

    /** Returns the access that is requested, or the better one of those that exist. */
    public MemoryAccess to(WindowDescriptor descriptor, MemoryPath path) {
        Objects.requireNonNull(descriptor, "descriptor");
        Objects.requireNonNull(path, "path");
        MemoryProtocol protocol = connection.protocol(MemoryProtocol.class);
        ServedAccess served = protocol == null ? null
                : new ServedAccess(connection, protocol.client(), descriptor, pool);
        OneSidedAccess oneSided = path == MemoryPath.SERVED ? null : oneSided(descriptor);
        return switch (path) {
            case SERVED -> existing(served, "path SERVED: the peer is a raw one, which serves no windows");
            case ONE_SIDED -> existing(oneSided,
                    "path ONE_SIDED: the connection must not be encrypted, both sides need remoteMemoryAccess, and the"
                    + " window registered memory with the rights READ and WRITE");
            case AUTO -> served == null ? existing(oneSided,
                    "the peer is a raw one, which serves no windows, and is not reached one-sided")
                    : oneSided == null ? served : new AutoAccess(connection, oneSided, served);
        };
    }

    private @Nullable OneSidedAccess oneSided(WindowDescriptor descriptor) {
        MemoryDescriptor direct = descriptor.oneSided().orElse(null);
        if (direct == null || !connection.carrier().allowsRaw()
                || !context.config().features().contains(UcpFeature.RMA)) {
            return null;
        }
        return new OneSidedAccess(connection, direct, pool);
    }

    private static MemoryAccess existing(@Nullable MemoryAccess access, String otherwise) {
        if (access == null) {
            throw new UcxUnsupportedException("memory", otherwise);
        }
        return access;
    }
}
