package io.reactorucx.netty;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.reactorucx.core.Ucx;
import io.reactorucx.netty.counter.LoopCount;
import io.reactorucx.netty.counter.LoopCounters;
import io.reactorucx.netty.internal.LoopEngine;
import io.reactorucx.netty.internal.SpinPolicy;
import io.reactorucx.transport.config.DeviceNeed;
import io.reactorucx.transport.config.NetworkDevices;
import io.reactorucx.transport.config.TransportSettings;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The work of a loop whose channels go over UCX: it progresses a UCX worker, and sleeps in epoll, where the worker's
 * event descriptor is beside the sockets of channels.
 *
 * <p><b>Threading:</b> the loop's thread, but for {@link #wakeup()}. <b>Ownership:</b> the loop ends it.
 * <b>Errors:</b> where UCX or epoll are missing, {@link #newFactory()} throws what
 * {@link #unavailabilityCause()} returns.
 */
public final class UcxIoHandler implements IoHandler {

    /** Busy rounds after which the sockets get their turn. */
    private static final int ROUNDS_PER_POLL = 16;
    /** Looks at UCX between two looks at the clock. */
    private static final int STEPS_PER_LOOK = 4;
    /** Time between two looks at the sockets while the loop spins. */
    private static final long NANOS_BETWEEN_POLLS = 50_000;

    private static final Logger LOG = LoggerFactory.getLogger(UcxIoHandler.class);

    private final UcxNettyConfig config;
    private final ThreadAwareExecutor executor;
    private final IoHandler epoll;
    private final String name;
    private final LoopCounters counters;
    private final TransportSettings transports;
    /** Empty where the devices follow the addresses. */
    private final NetworkDevices named;
    private final List<LoopEngine> engines = new ArrayList<>(1);
    private final Map<LoopEngine, IoRegistration> descriptors = new IdentityHashMap<>(1);
    private final Set<Registration> registrations = new LinkedHashSet<>();
    private final SpinPolicy spin;
    private int nextEngine;
    private @Nullable IoHandlerContext lastContext;
    /** The loop shuts down: its streams have until then to end. */
    private long endNanos;
    private boolean ending;
    private boolean hooked;
    private int round;
    private boolean wasIdle;

    UcxIoHandler(UcxNettyConfig config, ThreadAwareExecutor executor, String name, LoopCounters counters) {
        this.config = config;
        this.executor = executor;
        this.name = name;
        this.counters = counters;
        this.epoll = EpollIoHandler.newFactory().newHandler(executor);
        this.transports = new TransportSettings(LoopEngine.ucpConfig(config));
        this.named = new NetworkDevices(Set.copyOf(config.networkDevices()));
        this.spin = new SpinPolicy(config.spin().toNanos(), Runtime.getRuntime().availableProcessors());
    }

    /** {@return a factory with the default configuration, for a group of loops} */
    public static UcxIoHandlerFactory newFactory() {
        return newFactory(UcxNettyConfig.DEFAULT);
    }

    /**
     * Returns a factory for a {@link io.netty.channel.MultiThreadIoEventLoopGroup}.
     *
     * @param config what its loops have in common
     * @return the factory
     */
    public static UcxIoHandlerFactory newFactory(UcxNettyConfig config) {
        Objects.requireNonNull(config, "config");
        Throwable cause = unavailabilityCause();
        if (cause != null) {
            throw new IllegalStateException("UCX cannot be used: " + cause.getMessage(), cause);
        }
        return new UcxIoHandlerFactory(config);
    }

    /** {@return whether UCX and epoll can be used in this process} */
    public static boolean isAvailable() {
        return unavailabilityCause() == null;
    }

    /** {@return why UCX or epoll cannot be used in this process, null if they can} */
    public static @Nullable Throwable unavailabilityCause() {
        Throwable ofUcx = Ucx.unavailabilityCause().orElse(null);
        return ofUcx != null ? ofUcx : Epoll.unavailabilityCause();
    }

    UcxNettyConfig config() {
        return config;
    }

    LoopCounters counters() {
        return counters;
    }

    /** Returns the engine for channels to a client at an address of this host. */
    LoopEngine engineForServer(InetSocketAddress local) {
        try {
            LoopEngine found = engine(DeviceNeed.ofServer(local, transports.wantsTcp()));
            if (counters.refusesClients()) {
                counters.clientRefused(false);
            }
            return found;
        } catch (RuntimeException e) {
            if (!counters.refusesClients()) {
                // The client sees no more than the end of its socket.
                LOG.warn("[{}] clients are refused, because the loop cannot use UCX: {}", name, e.getMessage());
            }
            counters.clientRefused(true);
            throw e;
        }
    }

    /** Returns the engine for channels to a server. */
    LoopEngine engineForClient(InetSocketAddress remote) {
        return engine(DeviceNeed.ofClient(remote, transports.wantsTcp()));
    }

    private LoopEngine engine(DeviceNeed need) {
        if (transports.followAddresses() && !named.isEmpty()) {
            need.requireNamed(named);
        }
        boolean follows = transports.followAddresses() && named.isEmpty();
        NetworkDevices needed = follows || named.isEmpty() ? need.devices() : named;
        for (LoopEngine each : engines) {
            if (!follows || each.devices().contains(needed)) {
                return each;
            }
        }
        LoopEngine made = LoopEngine.open(config, needed, name, nextEngine++, counters);
        try {
            IoRegistration descriptor = epoll.register(new WorkerHandle(new FileDescriptor(made.eventFd())));
            descriptor.submit(EpollIoOps.EPOLLIN);
            if (!hooked && executor instanceof SingleThreadEventExecutor loop) {
                hooked = true;
                loop.addShutdownHook(this::endUnprepared);
            }
            engines.add(made);
            descriptors.put(made, descriptor);
        } catch (Exception e) {
            made.close();
            throw new IllegalStateException("the worker's event descriptor could not be registered", e);
        }
        return made;
    }

    /** The event descriptor of a worker: that it is readable only ends the sleep. */
    private record WorkerHandle(FileDescriptor fd) implements EpollIoHandle {

        @Override
        public void handle(IoRegistration registration, io.netty.channel.IoEvent event) {
        }

        @Override
        public void close() {
        }
    }

    @Override
    public int run(IoHandlerContext context) {
        lastContext = context;
        int work = step();
        if (work > 0) {
            if (wasIdle) {
                wasIdle = false;
                spin.workCame(System.nanoTime());
            }
            return work + pollSockets(context);
        }
        if (!context.canBlock()) {
            return ++round % ROUNDS_PER_POLL == 0 || engines.isEmpty()
                    ? epoll.run(new LoopContext(context, false, 0)) : 0;
        }
        if (engines.isEmpty()) {
            return epoll.run(context);
        }
        wasIdle = true;
        work = spin(context);
        if (work > 0) {
            // Work that always comes soon may end each spin before that has looked at the sockets.
            return work + pollSockets(context);
        }
        return context.canBlock() ? sleep(context) : 0;
    }

    /** Looks at the sockets in one of so many rounds that have work. */
    private int pollSockets(IoHandlerContext context) {
        return ++round % ROUNDS_PER_POLL == 0 ? epoll.run(new LoopContext(context, false, 0)) : 0;
    }

    /** One round of each engine, and one read of each channel that has something. */
    private int step() {
        int work = 0;
        for (int i = 0; i < engines.size(); i++) {
            LoopEngine engine = engines.get(i);
            work += engine.round();
            if (engine.isClosed()) {
                // The engine has failed: its channels have ended, and the next channel gets another engine.
                engines.remove(i--);
                // Its number may be given to another file.
                Objects.requireNonNull(descriptors.remove(engine)).cancel();
                engine.close();
            }
        }
        return work;
    }

    private int spin(IoHandlerContext context) {
        counters.count(LoopCount.SPINS);
        long now = System.nanoTime();
        long end = spin.startIdle(now);
        long look = now + NANOS_BETWEEN_POLLS;
        while (now - end < 0) {
            for (int i = 0; i < STEPS_PER_LOOK; i++) {
                int work = step();
                if (work > 0) {
                    wasIdle = false;
                    spin.workCame(System.nanoTime());
                    return work;
                }
                if (!context.canBlock()) {
                    return 0;
                }
                Thread.onSpinWait();
            }
            now = System.nanoTime();
            if (now - look >= 0) {
                // Channels open over sockets, and a socket tells of the end of the peer.
                epoll.run(new LoopContext(context, false, 0));
                look = now + NANOS_BETWEEN_POLLS;
            }
        }
        counters.count(LoopCount.VAIN_SPINS);
        spin.spunInVain();
        return 0;
    }

    private int sleep(IoHandlerContext context) {
        int parked = 0;
        long longest = Long.MAX_VALUE;
        while (parked < engines.size()) {
            LoopEngine engine = engines.get(parked);
            if (!engine.isIdle() || !engine.park() && !parkAgain(engine)) {
                break;
            }
            parked++;
            longest = Math.min(longest, engine.longestSleepNanos());
        }
        if (parked == engines.size()) {
            counters.count(LoopCount.SLEEPS);
        }
        try {
            return epoll.run(new LoopContext(context, parked == engines.size(), longest));
        } finally {
            for (int i = 0; i < parked; i++) {
                engines.get(i).unpark();
            }
        }
    }

    /** The first try takes the signal of what the last rounds have handled, so there may be nothing new. */
    private static boolean parkAgain(LoopEngine engine) {
        return engine.round() == 0 && !engine.isClosed() && engine.isIdle() && engine.park();
    }

    /** The context of a loop, as epoll sees it: it may sleep for no longer than the engines. */
    private record LoopContext(IoHandlerContext context, boolean mayBlock, long longestNanos)
            implements IoHandlerContext {

        @Override
        public boolean canBlock() {
            return mayBlock && context.canBlock();
        }

        @Override
        public long delayNanos(long currentTimeNanos) {
            return Math.min(context.deadlineNanos() == -1 ? Long.MAX_VALUE : context.delayNanos(currentTimeNanos),
                    longestNanos);
        }

        /** Epoll only compares it with the last one, to keep a timer that is set. */
        @Override
        public long deadlineNanos() {
            return longestNanos == Long.MAX_VALUE ? context.deadlineNanos() : System.nanoTime();
        }

        @Override
        public void reportActiveIoTime(long activeNanos) {
            context.reportActiveIoTime(activeNanos);
        }

        @Override
        public boolean shouldReportActiveIoTime() {
            return context.shouldReportActiveIoTime();
        }
    }

    @Override
    public void wakeup() {
        epoll.wakeup();
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
        if (handle instanceof UcxIoHandle) {
            Registration registration = new Registration(handle);
            registrations.add(registration);
            handle.registered();
            return registration;
        }
        return epoll.register(handle);
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return UcxIoHandle.class.isAssignableFrom(handleType) || epoll.isCompatible(handleType);
    }

    /** The registration of a channel, whose attachment is this handler. */
    private final class Registration implements IoRegistration {

        private final IoHandle handle;
        private volatile boolean valid = true;

        Registration(IoHandle handle) {
            this.handle = handle;
        }

        @Override
        @SuppressWarnings("unchecked")
        public <T> T attachment() {
            return (T) UcxIoHandler.this;
        }

        @Override
        public long submit(IoOps ops) {
            throw new UnsupportedOperationException("no operations");
        }

        @Override
        public boolean isValid() {
            return valid;
        }

        @Override
        public boolean cancel() {
            if (!valid) {
                return false;
            }
            valid = false;
            if (executor.isExecutorThread(Thread.currentThread())) {
                cancelled();
            } else {
                executor.execute(this::cancelled);
            }
            return true;
        }

        private void cancelled() {
            if (registrations.remove(this)) {
                handle.unregistered();
            }
        }
    }

    @Override
    public void prepareToDestroy() {
        closeChannels();
        if (hasNoStreams()) {
            epoll.prepareToDestroy();
        } else if (startsEnding()) {
            executor.execute(this::endStreams);
        }
    }

    private void closeChannels() {
        for (Registration registration : List.copyOf(registrations)) {
            try {
                registration.handle.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private boolean startsEnding() {
        if (ending) {
            return false;
        }
        ending = true;
        endNanos = System.nanoTime() + config.closeTimeout().toNanos();
        return true;
    }

    private boolean hasNoStreams() {
        return engines.stream().allMatch(engine -> engine.streams().isEmpty());
    }

    /**
     * A step of the streams that have bytes to send yet. Without a quiet period the loop runs no more than the tasks
     * that it has, and is shut down: it takes no task any more in which Netty deregisters the socket of a stream.
     */
    private void endStreams() {
        if (stepsToEnd()) {
            executor.execute(this::endStreams);
        } else {
            engines.forEach(LoopEngine::failStreams);
            epoll.prepareToDestroy();
        }
    }

    /** Returns whether streams still had bytes to send, and time for that. */
    private boolean stepsToEnd() {
        if (hasNoStreams() || System.nanoTime() - endNanos >= 0) {
            return false;
        }
        if (step() == 0 && lastContext != null) {
            epoll.run(new LoopContext(lastContext, false, 0));
        }
        return true;
    }

    /**
     * Does at once what no task has done: a loop that is told to shut down while it runs its last tasks does not
     * prepare its handler, but still takes the tasks of channels that close.
     */
    private void endUnprepared() {
        if (!hasNoStreams() && startsEnding()) {
            closeChannels();
            while (stepsToEnd()) {
                Thread.onSpinWait();
            }
            engines.forEach(LoopEngine::failStreams);
        }
    }

    @Override
    public void destroy() {
        try {
            engines.forEach(LoopEngine::close);
            epoll.prepareToDestroy();
        } finally {
            counters.loopEnded();
            epoll.destroy();
        }
    }
}
