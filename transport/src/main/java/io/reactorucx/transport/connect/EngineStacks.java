package io.reactorucx.transport.connect;

import io.reactorucx.core.UcpContext;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.engine.EngineHealth;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.transport.buffer.BufferPool;
import io.reactorucx.transport.command.EndSignal;
import io.reactorucx.transport.config.DeviceNeed;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The UCX contexts of some resources, each with engines. UCX fixes the network devices of a context when it makes the
 * context: an address that needs other devices gets another context, with engines of its own. The first context has the
 * buffer pool and all registered memory, of which the operations of the others take the memory and not the keys. As
 * long as nothing is used the first context is replaced instead.
 *
 * <p>Thread: any.
 *
 * @param <C> what belongs to the first context
 */
public final class EngineStacks<C extends EngineStacks.Content> {

    private static final Logger LOG = LoggerFactory.getLogger(EngineStacks.class);
    /** Each has threads of its own. */
    static final int MAX_CONTEXTS = 8;
    private static final long IDLE_SECONDS = 10;

    private final DeviceStarter starter;
    private final Function<DeviceStarter.Started, C> contentOf;
    /** Waits for the start of engines. */
    private final Consumer<CompletableFuture<@Nullable Void>> await;
    private final EndSignal unused = new EndSignal();
    /** Makes contexts, one after the other, because a caller may be a thread that must not block. */
    private final ThreadPoolExecutor maker = new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(), Thread.ofPlatform().daemon().name("reactor-ucx-contexts").factory());
    /** Held while a context is made, which takes long. */
    private final Object making = new Object();
    /** Guards what follows. */
    private final Object lock = new Object();
    /**
     * Set once the application has used the first context, its pool or an engine of it: from then on that context is
     * not replaced by one for other devices.
     */
    private boolean used;
    private boolean closing;
    private volatile Contexts<C> contexts;

    /** A context with its engines, and the view from which a connection gets one of them. */
    private record Stack(DeviceStarter.Started started, EngineResources engines) {
    }

    /** The objects that belong to the first context, and are made again when that is replaced. */
    public interface Content {

        /** Returns the engines of all contexts, in their order. */
        EngineResources engines();

        /** Some engines have been added, the last ones of {@link #engines()}. */
        void enginesAdded(List<ConnectingEngine> added);

        /** Gives back what is registered with the first context. The engines have ended, or were never used. */
        void close();
    }

    /**
     * All contexts.
     *
     * @param content what belongs to the first one
     * @param stacks the first, then those that were made later
     */
    private record Contexts<C extends Content>(C content, List<Stack> stacks) {

        DeviceStarter.Started first() {
            return stacks.getFirst().started;
        }

        EngineResources all() {
            return content.engines();
        }

        Contexts<C> with(Stack more) {
            List<Stack> longer = new ArrayList<>(stacks);
            longer.add(more);
            return new Contexts<>(content, List.copyOf(longer));
        }
    }

    /** Starts the first context. */
    public EngineStacks(DeviceStarter starter, Function<DeviceStarter.Started, C> contentOf,
            Consumer<CompletableFuture<@Nullable Void>> await) {
        maker.allowCoreThreadTimeOut(true);
        this.await = await;
        this.starter = starter;
        this.contentOf = contentOf;
        this.contexts = first(starter.start(starter.initialDevices()));
    }

    private Contexts<C> first(DeviceStarter.Started started) {
        C content = contentOf.apply(started);
        started.connect(content.engines(), await);
        return new Contexts<>(content, List.of(new Stack(started, content.engines().view())));
    }

    /**
     * Returns the engines for a server or a client: those of a context that has the network devices which its address
     * needs. Makes that context, on another thread, if there is none now.
     */
    public CompletableFuture<EngineResources> reaching(DeviceNeed need) {
        try {
            synchronized (lock) {
                EngineResources found = found(need);
                if (found != null) {
                    return CompletableFuture.completedFuture(found);
                }
            }
        } catch (UcxException e) {
            return CompletableFuture.failedFuture(e);
        }
        return CompletableFuture.supplyAsync(() -> made(need), maker);
    }

    /** Returns the engines of the context with the most network devices. */
    public EngineResources any() {
        used();
        return contexts.stacks.stream().max(Comparator.comparingInt(each -> each.started.devices().names().size()))
                .orElseThrow().engines;
    }

    /** Returns engines that serve an address, which are in use from now on; null if there are none. */
    private @Nullable EngineResources found(DeviceNeed need) {
        Stack serving = contexts.stacks.getFirst();
        // The caller finds out itself that the resources are closed.
        if (!closing && starter.follows(need)) {
            serving = contexts.stacks.stream().filter(each -> each.started.devices().contains(need.devices()))
                    .findFirst().orElse(null);
        }
        if (serving == null) {
            return null;
        }
        used = true;
        unused.signal();
        return serving.engines;
    }

    private EngineResources made(DeviceNeed need) {
        synchronized (making) {
            boolean replaces;
            synchronized (lock) {
                EngineResources found = found(need);
                if (found != null) {
                    return found;
                }
                replaces = !used;
            }
            EngineResources replaced = replaces ? replaced(need) : null;
            return replaced != null ? replaced : added(need);
        }
    }

    /** Replaces the first context by one with the needed devices; returns null if a use of it has begun meanwhile. */
    private @Nullable EngineResources replaced(DeviceNeed need) {
        Contexts<C> next = first(starter.start(need.devices()));
        Contexts<C> unused = next;
        EngineResources found = null;
        synchronized (lock) {
            if (!used && !closing) {
                unused = contexts;
                contexts = next;
                found = found(need);
            }
        }
        unused.content.close();
        unused.all().closeSockets();
        unused.first().close();
        return found;
    }

    private EngineResources added(DeviceNeed need) {
        Contexts<C> now = contexts;
        if (!starter.allowsSeveralContexts()) {
            throw new UcxUnsupportedException(need.operation(), need.why() + ", and these resources use "
                    + now.first().devices() + ". With remoteMemoryAccess or remoteAtomics they have one UCX context,"
                    + " whose network devices cannot be changed while it is used: name the devices by"
                    + " UcxResourcesBuilder.networkDevices(..)");
        }
        if (now.stacks.size() >= MAX_CONTEXTS) {
            throw new UcxUnsupportedException(need.operation(), need.why() + ", and these resources have "
                    + MAX_CONTEXTS + " UCX contexts for other network devices already: name the devices by"
                    + " UcxResourcesBuilder.networkDevices(..)");
        }
        DeviceStarter.Started started = starter.startBeside(now.first(), need.devices(), now.stacks.size());
        @Nullable EngineResources view = now.all().prepare(started.engines().engines());
        started.connect(view, await);
        synchronized (lock) {
            if (closing) {
                view = null;
            } else {
                now.all().add(view);
                contexts = now.with(new Stack(started, view));
            }
        }
        if (view == null) {
            started.close();
            throw new UcxClosedException(need.operation(), null, "these resources are closed");
        }
        // Meters of the new engines are bound now, which takes locks of its own.
        now.content.enginesAdded(view.engines());
        return view;
    }

    /** Returns the first context, its engines and the pool, which are not replaced from now on. */
    public DeviceStarter.Started used() {
        synchronized (lock) {
            used = true;
        }
        unused.signal();
        return contexts.first();
    }

    /** Returns the signal that something of the first context is used. */
    public EndSignal unused() {
        return unused;
    }

    /** Returns the first context, without using it. */
    public UcpContext context() {
        return contexts.first().context();
    }

    public BufferPool buffers() {
        return contexts.first().buffers();
    }

    /** Returns the number of engines of each context. */
    public int enginesOfEach() {
        return contexts.first().engines().engines().size();
    }

    /** Returns the engines of all contexts, with their protocols. */
    public EngineResources all() {
        return contexts.all();
    }

    public C content() {
        return contexts.content;
    }

    public List<ProgressEngine> engines() {
        return contexts.stacks.stream().flatMap(each -> each.started.engines().engines().stream()).toList();
    }

    public List<EngineHealth> health() {
        return contexts.stacks.stream().flatMap(each -> each.started.health(each.engines.connections()).stream())
                .toList();
    }

    /** From now on no context is made or replaced. */
    public void beginClose() {
        synchronized (lock) {
            closing = true;
        }
        contexts.all().dispose();
    }

    public CompletableFuture<Void> closeEngines() {
        return CompletableFuture.allOf(contexts.stacks.stream().map(each -> each.started.engines().closeAsync())
                .toArray(CompletableFuture[]::new));
    }

    /** Closes what the engines have left but the first context, in which memory is registered. */
    public void enginesClosed() {
        contexts.content.close();
        contexts.stacks.forEach(each -> each.started.watch().close());
        contexts.stacks.stream().skip(1).forEach(each -> {
            try {
                each.started.context().close();
            } catch (IllegalStateException e) {
                LOG.error("The context of {} stays open: {}", each.started.devices(), e.getMessage());
            }
        });
    }
}
