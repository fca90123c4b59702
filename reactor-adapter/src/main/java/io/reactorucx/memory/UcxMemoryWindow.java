package io.reactorucx.memory;

import io.reactorucx.core.MemoryDescriptor;
import io.reactorucx.internal.memory.ExportedWindow;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/**
 * Memory of this process that framework peers may reach by its {@link #descriptor()}, within its bounds and rights,
 * until it is revoked.
 *
 * <p><b>Threading:</b> any thread; reads, writes and atomic operations of peers happen on the threads of engines.
 * <b>Ownership:</b> the memory has to stay alive until {@link #revoke()} has completed; the window ends with the
 * resources, or with the connection that it was exported to, if not before. <b>Errors:</b> a request that exceeds the
 * bounds or rights fails at the peer that sent it; this side only counts it.
 */
public abstract sealed class UcxMemoryWindow implements Disposable permits ExportedWindow {

    private final WindowDescriptor descriptor;

    /**
     * For the implementation.
     *
     * @param key secret of 16 bytes
     * @param length size in bytes
     * @param rights what peers may do
     * @param oneSided descriptor for one-sided access, null without
     */
    protected UcxMemoryWindow(byte[] key, long length, Set<MemoryRight> rights, @Nullable MemoryDescriptor oneSided) {
        this.descriptor = new WindowDescriptor(key, length, rights, oneSided);
    }

    /** {@return the descriptor that peers need; its bytes are a secret between this side and the peers} */
    public final WindowDescriptor descriptor() {
        return descriptor;
    }

    /** {@return size in bytes} */
    public final long length() {
        return descriptor.length();
    }

    /** {@return the rights of peers} */
    public final Set<MemoryRight> rights() {
        return descriptor.rights();
    }

    /**
     * Ends the window: from now on requests for it are refused, and requests in flight finish or fail. A connection
     * whose peer does not finish its request within {@link ServedMemoryConfig#revokeTimeout()} is closed by force.
     * Without failure detection (error mode NONE) no connection can be closed by force, and the request is waited for.
     *
     * @return completes when no request touches the memory any more, which may then be freed. A peer that was given
     *     UCX's own key ({@link WindowDescriptor#oneSided()}) is not stopped by that
     */
    public abstract Mono<Void> revoke();

    /** As {@link #revoke()}, without waiting. */
    @Override
    public abstract void dispose();

    /** {@return whether {@link #revoke()} has begun} */
    @Override
    public abstract boolean isDisposed();

    /** {@return completes when the window is revoked, as {@link #revoke()} does} */
    public abstract Mono<Void> onDispose();

    @Override
    public final String toString() {
        return "UcxMemoryWindow[" + length() + " bytes, " + rights() + (isDisposed() ? ", revoked]" : "]");
    }
}
