package io.reactorucx.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.reactorucx.UcxResources;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The meters of some resources in a registry, of which there is one binding for the same tags at a time. Meters are
 * registered and removed under one lock: they are known by name and tags, and a removal must not meet those of the next
 * binding.
 *
 * <p>Thread: any.
 */
final class MetersBinding implements Disposable {

    private static final Map<MeterRegistry, Map<Tags, MetersBinding>> BOUND = new IdentityHashMap<>();

    private final MeterRegistry registry;
    private final Tags tags;
    private final WeakReference<UcxResources> resources;
    private final Disposable.Composite ends = Disposables.composite();
    private final List<Runnable> removals = new ArrayList<>();
    private final List<Runnable> subscriptions = new ArrayList<>();

    private MetersBinding(MeterRegistry registry, Tags tags, UcxResources resources) {
        this.registry = registry;
        this.tags = tags;
        this.resources = new WeakReference<>(resources);
    }

    /**
     * Takes the place of the binding of the same resources, and registers its meters; throws if it is one of others. If
     * the registration throws, no meter is left.
     */
    static MetersBinding replace(MeterRegistry registry, Tags tags, UcxResources resources,
            Consumer<MetersBinding> registration) {
        synchronized (BOUND) {
            MetersBinding before = BOUND.getOrDefault(registry, Map.of()).get(tags);
            if (before != null) {
                UcxResources shown = before.resources.get();
                if (shown != null && shown != resources) {
                    throw new IllegalStateException("tags " + tags.stream().toList() + ": the registry has the meters"
                            + " of other resources with these tags; new UcxMetrics(resources, tags) takes other tags");
                }
                before.dispose();
            }
            MetersBinding binding = new MetersBinding(registry, tags, resources);
            BOUND.computeIfAbsent(registry, any -> new HashMap<>()).put(tags, binding);
            try {
                registration.accept(binding);
                // Meters of parts that have ended already are removed now that the binding is complete.
                List<Runnable> made = List.copyOf(binding.subscriptions);
                binding.subscriptions.clear();
                made.forEach(Runnable::run);
            } catch (Throwable t) {
                binding.dispose();
                throw t;
            }
            return binding;
        }
    }

    /** Adds what removes meters, within the registration. */
    void add(Runnable removal) {
        removals.add(removal);
    }

    /** Adds more meters whenever there is more to show, until all are removed. */
    <T> void addWhen(Flux<T> more, Consumer<T> registration) {
        subscriptions.add(() -> ends.add(more.subscribe(each -> {
            synchronized (BOUND) {
                if (!isDisposed()) {
                    registration.accept(each);
                    List<Runnable> made = List.copyOf(subscriptions);
                    subscriptions.clear();
                    made.forEach(Runnable::run);
                }
            }
        })));
    }

    /** Removes meters when what they show has ended, or with the others. */
    void addUntil(Mono<Void> end, Runnable removal) {
        add(removal);
        subscriptions.add(() -> ends.add(end.subscribe(ignored -> { }, error -> { }, () -> locked(removal))));
    }

    /** A removal that comes late, when the binding has been disposed of, has been done. */
    private void locked(Runnable removal) {
        synchronized (BOUND) {
            if (!isDisposed()) {
                removal.run();
            }
        }
    }

    @Override
    public void dispose() {
        synchronized (BOUND) {
            if (isDisposed()) {
                return;
            }
            ends.dispose();
            try {
                removals.forEach(Runnable::run);
            } finally {
                Map<Tags, MetersBinding> ofRegistry = BOUND.get(registry);
                if (ofRegistry != null && ofRegistry.remove(tags, this) && ofRegistry.isEmpty()) {
                    BOUND.remove(registry);
                }
            }
        }
    }

    @Override
    public boolean isDisposed() {
        return ends.isDisposed();
    }
}
