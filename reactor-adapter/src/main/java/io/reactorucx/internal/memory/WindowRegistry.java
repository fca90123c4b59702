package io.reactorucx.internal.memory;

import io.reactorucx.core.MemoryDescriptor;
import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpFeature;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.UcxClosedException;
import io.reactorucx.core.UcxException;
import io.reactorucx.core.UcxStatus;
import io.reactorucx.internal.concurrent.RetryingCommand;
import io.reactorucx.internal.connection.ConnectionCore;
import io.reactorucx.internal.connection.EngineConnections;
import io.reactorucx.internal.frame.WindowKey;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.memory.ServedMemoryConfig;
import io.reactorucx.memory.ServedMemoryStatistics;
import io.reactorucx.memory.UcxMemoryWindow;
import io.reactorucx.memory.WindowDescriptor;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Schedulers;

/** The windows that some resources export, and what was done with them. Any thread. */
public final class WindowRegistry {

    /** Stands for any thread but the one that exports. */
    private static final Thread ANOTHER = Thread.ofPlatform().unstarted(() -> { });

    private final UcpContext context;
    private final ServedMemoryConfig config;
    private final UnaryOperator<UcpMemory> owned;
    private final Supplier<List<EngineConnections>> registries;
    private final Map<WindowKey, UcxMemoryWindow> byKey = new ConcurrentHashMap<>();
    private final AtomicInteger count = new AtomicInteger();
    private final LongAdder served = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final LongAdder violations = new LongAdder();
    private volatile boolean closed;

    /** Registrations that windows make go through {@code owned}, which sees to their end. */
    public WindowRegistry(UcpContext context, ServedMemoryConfig config, UnaryOperator<UcpMemory> owned,
            Supplier<List<EngineConnections>> registries) {
        this.context = context;
        this.config = config;
        this.owned = owned;
        this.registries = registries;
    }

    ServedMemoryConfig config() {
        return config;
    }

    /** A window on memory of the caller, which is registered for it. */
    public UcxMemoryWindow export(MemorySegment segment, Set<MemoryRight> rights, @Nullable ConnectionCore only) {
        Set<MemoryRight> given = checked(rights);
        Objects.requireNonNull(segment, "segment");
        if (!segment.isNative() || segment.byteSize() < 1) {
            throw new IllegalArgumentException("segment of " + segment.byteSize()
                    + " bytes: must be native memory of at least 1 byte");
        }
        if (!segment.scope().isAlive() || !segment.isAccessibleBy(ANOTHER)) {
            throw new IllegalArgumentException("segment of " + segment.byteSize()
                    + " bytes: its arena is closed or of one thread only; use a"
                    + " shared or automatic arena");
        }
        if (segment.isReadOnly() && !given.equals(Set.of(MemoryRight.READ))) {
            throw new IllegalArgumentException("segment of " + segment.byteSize()
                    + " bytes: it is read-only, and may not be exported with "
                    + given);
        }
        return export(() -> {
            // UCX registers for reading and writing.
            UcpMemory registration = segment.isReadOnly() ? null : owned.apply(context.register(segment));
            return window(segment, registration, true, given, null, only);
        });
    }

    /** A window on registered memory, which stays its owner's. */
    public UcxMemoryWindow export(UcpMemory memory, Set<MemoryRight> rights, @Nullable ConnectionCore only) {
        Set<MemoryRight> given = checked(rights);
        Objects.requireNonNull(memory, "memory");
        if (memory.isClosed()) {
            throw new UcxClosedException("export", "the registration of " + memory.segment().byteSize() + " bytes");
        }
        if (!memory.isOf(context)) {
            throw new IllegalArgumentException("memory of " + memory.segment()
                    .byteSize() + " bytes: it is registered with another context");
        }
        // UCX's key gives all rights, so it goes to those only who have them anyway.
        boolean oneSided = context.config().features().contains(UcpFeature.RMA) && only == null
                && given.containsAll(EnumSet.of(MemoryRight.READ, MemoryRight.WRITE));
        return export(() -> window(memory.segment(), memory, false, given, oneSided ? memory.descriptor() : null,
                only));
    }

    private static Set<MemoryRight> checked(Set<MemoryRight> rights) {
        Objects.requireNonNull(rights, "rights").forEach(right -> Objects.requireNonNull(right, "rights: each"));
        if (rights.isEmpty()) {
            throw new IllegalArgumentException("rights " + rights + ": at least one");
        }
        return Set.copyOf(rights);
    }

    private UcxMemoryWindow window(MemorySegment segment, @Nullable UcpMemory registration, boolean ownsRegistration,
            Set<MemoryRight> rights,
            @Nullable MemoryDescriptor oneSided, @Nullable ConnectionCore only) {
        WindowDescriptor descriptor = new WindowDescriptor(WindowKey.random(), segment.byteSize(), rights, oneSided);
        return new UcxMemoryWindow(this, descriptor, segment, registration, ownsRegistration, only);
    }

    private UcxMemoryWindow export(Supplier<UcxMemoryWindow> made) {
        if (count.getAndUpdate(before -> before < config.maxWindows() ? before + 1 : before) >= config.maxWindows()) {
            throw new UcxException(UcxStatus.EXCEEDS_LIMIT, "export", null, "at most " + config.maxWindows()
                    + " windows, see ServedMemoryConfig.maxWindows");
        }
        UcxMemoryWindow window;
        try {
            window = made.get();
        } catch (RuntimeException | Error e) {
            count.decrementAndGet();
            throw e;
        }
        byKey.put(window.descriptor().key(), window);
        if (closed) {
            window.dispose();
            throw new UcxClosedException("export", null, "these resources are closed");
        }
        return window;
    }

    @Nullable UcxMemoryWindow find(WindowKey key) {
        return byKey.get(key);
    }

    /** A window is revoked while requests use it: those who make it wait too long lose their connection. */
    public void revoking(UcxMemoryWindow window) {
        byKey.remove(window.descriptor().key());
        Schedulers.parallel().schedule(() -> registries.get().forEach(registry -> new RetryingCommand(registry.engine(),
                worker -> registry.connections().forEach(connection -> evict(window, connection)), engineClosed -> { })
                .submit()),
                config.revokeTimeout().toMillis(), TimeUnit.MILLISECONDS);
    }

    private static void evict(UcxMemoryWindow window, ConnectionCore connection) {
        MemoryProtocol part = connection.protocol(MemoryProtocol.class);
        if (part != null) {
            part.evict(window);
        }
    }

    /** No request uses the window any more, and none will. */
    public void remove(UcxMemoryWindow window) {
        byKey.remove(window.descriptor().key());
        count.decrementAndGet();
    }

    void served(long moved) {
        served.increment();
        bytes.add(moved);
    }

    void refused() {
        refused.increment();
    }

    void violated() {
        violations.increment();
    }

    public ServedMemoryStatistics statistics() {
        return new ServedMemoryStatistics(count.get(), config.maxWindows(), served.sum(), refused.sum(), bytes.sum(),
                violations.sum());
    }

    /** The engines have ended, and with them all use. */
    public void close() {
        closed = true;
        byKey.values().forEach(UcxMemoryWindow::dispose);
    }
}
