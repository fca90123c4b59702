package io.reactorucx;

import io.reactorucx.core.MemoryDescriptor;
import io.reactorucx.core.UcpFeature;
import io.reactorucx.core.UcxUnsupportedException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The ways from one connection to windows of its peer. */
record MemoryPaths(ConnectionCore connection, UcxResources resources) {

    /** The way that was asked for, or the better one of those that there are. */
    MemoryAccess to(WindowDescriptor descriptor, MemoryPath path) {
        Objects.requireNonNull(descriptor, "descriptor");
        Objects.requireNonNull(path, "path");
        MemoryPart part = connection.parts.memory();
        ServedMemory served = part == null ? null : new ServedMemory(connection, part.caller(), descriptor, resources.buffers());
        OneSidedMemory oneSided = path == MemoryPath.SERVED ? null : oneSided(descriptor);
        return switch (path) {
            case SERVED -> existing(served, "path SERVED: the peer is a raw one, which serves no windows");
            case ONE_SIDED -> existing(oneSided, "path ONE_SIDED: both sides need remoteMemoryAccess, and the window registered memory with"
                    + " the rights READ and WRITE");
            case AUTO -> served == null ? existing(oneSided, "the peer is a raw one, which serves no windows, and is not reached one-sided")
                    : oneSided == null ? served : new ChosenMemory(connection, oneSided, served);
        };
    }

    private @Nullable OneSidedMemory oneSided(WindowDescriptor descriptor) {
        MemoryDescriptor direct = descriptor.oneSided().orElse(null);
        if (direct == null || !resources.context().config().features().contains(UcpFeature.RMA)) {
            return null;
        }
        return new OneSidedMemory(connection, direct, resources.buffers());
    }

    private static MemoryAccess existing(@Nullable MemoryAccess access, String otherwise) {
        if (access == null) {
            throw new UcxUnsupportedException("memory", otherwise);
        }
        return access;
    }
}
