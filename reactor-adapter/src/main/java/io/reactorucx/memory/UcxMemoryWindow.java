package io.reactorucx.memory;

import io.reactorucx.core.UcpMemory;
import io.reactorucx.internal.connection.ConnectionCore;
import io.reactorucx.internal.memory.WindowRegistry;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * Memory of this process that framework peers may reach by its {@link #descriptor()}, within its bounds and rights,
 * until it is revoked.
 *
 * <p><b>Threading:</b> any thread; peers' reads, writes and atomic operations happen on engines' threads.
 * <b>Ownership:</b> the memory has to stay alive until {@link #revoke()} has completed; ends with the resources, or
 * with the connection that it was exported to, if not before. <b>Errors:</b> a request that does not keep to it is an
 * error of the peer that made it, and nothing here.
 */
public final class UcxMemoryWindow implements Disposable {

    /** Added to the number of uses when there may be no more. */
    private static final int REVOKED = Integer.MIN_VALUE;

    private final WindowRegistry windows;
    private final WindowDescriptor descriptor;
    private final MemorySegment segment;
    private final @Nullable UcpMemory registration;
    private final boolean ownsRegistration;
    private final @Nullable ConnectionCore only;
    private final AtomicInteger uses = new AtomicInteger();
    private final Sinks.Empty<Void> revoked = Sinks.empty();

    public UcxMemoryWindow(WindowRegistry windows, WindowDescriptor descriptor, MemorySegment segment,
            @Nullable UcpMemory registration,
            boolean ownsRegistration, @Nullable ConnectionCore only) {
        this.windows = windows;
        this.descriptor = descriptor;
        this.segment = segment;
        this.registration = registration;
        this.ownsRegistration = ownsRegistration;
        this.only = only;
    }

    /** {@return what peers need; its bytes are a secret between this side and them} */
    public WindowDescriptor descriptor() {
        return descriptor;
    }

    /** {@return size in bytes} */
    public long length() {
        return descriptor.length();
    }

    /** {@return what peers may do} */
    public Set<MemoryRight> rights() {
        return descriptor.rights();
    }

    /**
     * Ends the window: from now on requests for it are refused, those that have begun finish or fail. One that its peer
     * does not finish in {@link ServedMemoryConfig#revokeTimeout()} is ended by closing its connection by force; where
     * failures of the peer are not noticed (error mode NONE) that is impossible, and it is waited for.
     *
     * @return completes when no request touches the memory any more, which may then be freed. A peer that was given
     *     UCX's own key ({@link WindowDescriptor#oneSided()}) is not stopped by that
     */
    public Mono<Void> revoke() {
        return Mono.defer(() -> {
            beginRevoke();
            return revoked.asMono();
        });
    }

    private void beginRevoke() {
        int before = uses.getAndUpdate(count -> count < 0 ? count : count + REVOKED);
        if (before == 0) {
            ended();
        } else if (before > 0) {
            windows.revoking(this);
        }
    }

    /** Begins a use of the memory; answers whether it may. */
    public boolean enter(ConnectionCore connection) {
        return (only == null || only == connection) && uses.getAndUpdate(count -> count < 0 ? count : count + 1) >= 0;
    }

    /** The use is over: nothing touches the memory for its sake any more. */
    public void leave() {
        if (uses.decrementAndGet() == REVOKED) {
            ended();
        }
    }

    private void ended() {
        windows.remove(this);
        try {
            if (ownsRegistration && registration != null) {
                registration.close();
            }
            revoked.tryEmitEmpty();
        } catch (IllegalStateException e) {
            revoked.tryEmitError(e);
        }
    }

    public MemorySegment memory() {
        return segment;
    }

    public @Nullable UcpMemory registration() {
        return registration;
    }

    @Override
    public void dispose() {
        beginRevoke();
    }

    /** {@return whether it is revoked, or about to be} */
    @Override
    public boolean isDisposed() {
        return uses.get() < 0;
    }

    /** {@return completes when it is revoked, as {@link #revoke()} has it} */
    public Mono<Void> onDispose() {
        return revoked.asMono();
    }

    @Override
    public String toString() {
        return "UcxMemoryWindow[" + length() + " bytes, " + rights() + (isDisposed() ? ", revoked]" : "]");
    }
}
