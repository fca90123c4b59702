package io.reactorucx.internal.memory;

import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpFeature;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.UcxArena;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.internal.frame.WindowKey;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.memory.ServedMemoryConfig;
import io.reactorucx.memory.ServedMemoryStatistics;
import io.reactorucx.memory.ServedMemoryStatistics.Access;
import io.reactorucx.memory.UcxMemoryWindow;
import io.reactorucx.transport.connection.ConnectionCore;
import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.EnumSet;
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

/** The exported windows of some resources, by key, and the counters of their use. Any thread. */
public final class WindowRegistry {

    /** Stands for any thread but the exporting one, to check that memory is accessible by all. */
    private static final Thread ANOTHER = Thread.ofPlatform().unstarted(() -> { });

    private final UcpContext context;
    private final ServedMemoryConfig config;
    private final UnaryOperator<UcpMemory> owned;
    private final Map<WindowKey, ExportedWindow> byKey = new ConcurrentHashMap<>();
    /** The servers of open connections whose peers have requested memory. */
    private final Set<MemoryServer> servers = ConcurrentHashMap.newKeySet();
    private final AtomicInteger count = new AtomicInteger();
    private final Map<Access, Counts> counts = new EnumMap<>(Access.class);
    private final LongAdder violations = new LongAdder();
    private volatile boolean closed;

    /**
     * An empty registry.
     *
     * @param owned gets each registration that a window makes, closes it with the resources, and returns it
     */
    public WindowRegistry(UcpContext context, ServedMemoryConfig config, UnaryOperator<UcpMemory> owned) {
        this.context = context;
        this.config = config;
        this.owned = owned;
        for (Access access : Access.values()) {
            counts.put(access, new Counts(new LongAdder(), new LongAdder(), new LongAdder()));
        }
    }

    /** The counters of the peers' requests for one kind of access. */
    private record Counts(LongAdder served, LongAdder refused, LongAdder bytes) {

        ServedMemoryStatistics.Requests snapshot() {
            return new ServedMemoryStatistics.Requests(served.sum(), refused.sum(), bytes.sum());
        }
    }

    ServedMemoryConfig config() {
        return config;
    }

    /** Exports memory of the caller, which is registered with the window. */
    public UcxMemoryWindow export(MemorySegment segment, Set<MemoryRight> rights, @Nullable ConnectionCore only) {
        Set<MemoryRight> given = checked(rights);
        Objects.requireNonNull(segment, "segment");
        if (!segment.isNative() || segment.byteSize() < 1) {
            throw new IllegalArgumentException("segment of " + segment.byteSize()
                    + " bytes: must be native memory of at least 1 byte");
        }
        if (!segment.scope().isAlive() || !segment.isAccessibleBy(ANOTHER)) {
            throw new IllegalArgumentException("segment of " + segment.byteSize()
                    + " bytes: its arena is closed or of one thread only; use a UcxArena or an automatic arena");
        }
        UcxArena.requireHeld(segment, "segment");
        if (segment.isReadOnly() && !given.equals(Set.of(MemoryRight.READ))) {
            throw new IllegalArgumentException("segment of " + segment.byteSize()
                    + " bytes: it is read-only, and may not be exported with " + given);
        }
        return export(given, only, () -> {
            // UCX registers for reading and writing.
            UcpMemory registration = segment.isReadOnly() ? null : owned.apply(context.register(segment));
            return new ExportedWindow.Memory(segment, registration, true, null);
        });
    }

    /** Exports registered memory, whose registration stays the caller's. */
    public UcxMemoryWindow export(UcpMemory memory, Set<MemoryRight> rights, @Nullable ConnectionCore only) {
        Set<MemoryRight> given = checked(rights);
        Objects.requireNonNull(memory, "memory");
        if (memory.isClosed()) {
            throw new UcxClosedException("export", "the registration of " + memory.segment().byteSize() + " bytes");
        }
        if (!memory.isOf(context)) {
            throw new IllegalArgumentException("memory of " + memory.segment().byteSize()
                    + " bytes: it is registered with another context");
        }
        // UCX's key gives all rights, so only windows with all of them carry it.
        boolean oneSided = context.config().features().contains(UcpFeature.RMA) && only == null
                && given.containsAll(EnumSet.of(MemoryRight.READ, MemoryRight.WRITE));
        return export(given, only, () -> new ExportedWindow.Memory(memory.segment(), memory, false,
                oneSided ? memory.descriptor() : null));
    }

    private static Set<MemoryRight> checked(Set<MemoryRight> rights) {
        Objects.requireNonNull(rights, "rights").forEach(right -> Objects.requireNonNull(right, "rights: each"));
        if (rights.isEmpty()) {
            throw new IllegalArgumentException("rights " + rights + ": must contain at least one right");
        }
        return Set.copyOf(rights);
    }

    private UcxMemoryWindow export(Set<MemoryRight> rights, @Nullable ConnectionCore only,
            Supplier<ExportedWindow.Memory> memory) {
        if (count.getAndUpdate(before -> before < config.maxWindows() ? before + 1 : before) >= config.maxWindows()) {
            throw new UcxException(UcxStatus.EXCEEDS_LIMIT, "export", null, "at most " + config.maxWindows()
                    + " windows, see ServedMemoryConfig.maxWindows");
        }
        ExportedWindow window;
        try {
            window = new ExportedWindow(this, WindowKey.random(), memory.get(), rights, only);
        } catch (RuntimeException | Error e) {
            count.decrementAndGet();
            throw e;
        }
        byKey.put(window.key(), window);
        if (closed) {
            window.dispose();
            throw new UcxClosedException("export", null, "these resources are closed");
        }
        return window;
    }

    @Nullable ExportedWindow find(WindowKey key) {
        return byKey.get(key);
    }

    /** Adds the server of a connection whose peer requests memory. */
    void add(MemoryServer server) {
        servers.add(server);
    }

    /** Removes the server of a connection that is closed. */
    void remove(MemoryServer server) {
        servers.remove(server);
    }

    /** A window in use is revoked: after the revoke timeout, connections that still use it are closed by force. */
    void revoking(ExportedWindow window) {
        byKey.remove(window.key());
        Schedulers.parallel().schedule(() -> servers.forEach(server -> server.evict(window)),
                config.revokeTimeout().toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Removes a window that no request uses, and none will. */
    void remove(ExportedWindow window) {
        byKey.remove(window.key());
        count.decrementAndGet();
    }

    void served(Access access, long moved) {
        Counts of = counts(access);
        of.served.increment();
        of.bytes.add(moved);
    }

    void refused(Access access) {
        counts(access).refused.increment();
    }

    private Counts counts(Access access) {
        return Objects.requireNonNull(counts.get(access));
    }

    void violated() {
        violations.increment();
    }

    public ServedMemoryStatistics statistics() {
        Map<Access, ServedMemoryStatistics.Requests> requests = new EnumMap<>(Access.class);
        counts.forEach((access, of) -> requests.put(access, of.snapshot()));
        return new ServedMemoryStatistics(count.get(), config.maxWindows(), requests, violations.sum());
    }

    /** Revokes all windows. The engines have ended, so none is in use. */
    public void close() {
        closed = true;
        byKey.values().forEach(UcxMemoryWindow::dispose);
    }
}
