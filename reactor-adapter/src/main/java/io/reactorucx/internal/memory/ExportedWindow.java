package io.reactorucx.internal.memory;

import io.reactorucx.core.MemoryDescriptor;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.internal.frame.WindowKey;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.memory.UcxMemoryWindow;
import io.reactorucx.transport.connection.ConnectionCore;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** The implementation of {@link UcxMemoryWindow}: counts the uses of the memory, and ends with the last one. */
public final class ExportedWindow extends UcxMemoryWindow {

    /** Added to the number of uses when the window is revoked. */
    private static final int REVOKED = Integer.MIN_VALUE;

    private final WindowRegistry windows;
    private final WindowKey key;
    private final Memory memory;
    private final @Nullable ConnectionCore only;
    private final AtomicInteger uses = new AtomicInteger();
    private final Sinks.Empty<Void> revoked = Sinks.empty();

    /**
     * The memory of a window.
     *
     * @param segment what peers reach
     * @param registration with UCX, null for memory that is read-only
     * @param ownsRegistration whether the registration is closed with the window
     * @param oneSided descriptor for one-sided access, null without
     */
    record Memory(MemorySegment segment, @Nullable UcpMemory registration, boolean ownsRegistration,
            @Nullable MemoryDescriptor oneSided) {
    }

    /** A window for any connection, or for only one. */
    ExportedWindow(WindowRegistry windows, WindowKey key, Memory memory, Set<MemoryRight> rights,
            @Nullable ConnectionCore only) {
        super(key.toBytes(), memory.segment().byteSize(), rights, memory.oneSided());
        this.windows = windows;
        this.key = key;
        this.memory = memory;
        this.only = only;
    }

    WindowKey key() {
        return key;
    }

    @Override
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

    /** Begins a use of the memory. Returns whether the connection may use it. */
    boolean enter(ConnectionCore connection) {
        return (only == null || only == connection) && uses.getAndUpdate(count -> count < 0 ? count : count + 1) >= 0;
    }

    /** Ends a use of the memory. */
    void leave() {
        if (uses.decrementAndGet() == REVOKED) {
            ended();
        }
    }

    private void ended() {
        windows.remove(this);
        try {
            UcpMemory registration = memory.registration();
            if (memory.ownsRegistration() && registration != null) {
                registration.close();
            }
            revoked.tryEmitEmpty();
        } catch (IllegalStateException e) {
            revoked.tryEmitError(e);
        }
    }

    MemorySegment segment() {
        return memory.segment();
    }

    @Nullable UcpMemory registration() {
        return memory.registration();
    }

    @Override
    public void dispose() {
        beginRevoke();
    }

    @Override
    public boolean isDisposed() {
        return uses.get() < 0;
    }

    @Override
    public Mono<Void> onDispose() {
        return revoked.asMono();
    }
}
