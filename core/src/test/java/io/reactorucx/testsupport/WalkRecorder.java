package io.reactorucx.testsupport;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Records through which methods an operation goes: on the thread that calls it, and on those of engines.
 *
 * <p>An engine's thread polls while nothing happens. So the recorder first learns the stacks with which methods are
 * entered on it while it is idle, and leaves out each entry with such a stack: a walk begins with the first method that
 * no idle round would have entered in that way, and what every round does around it does not count. Engines must not
 * sleep, for one that sleeps enters nothing.
 *
 * <p>The recording ends when the operation has ended and all engines have been idle for a while. What else may happen
 * to come meanwhile (an acknowledgement, a timer) is part of it; so the operation is repeated, and the shortest walk of
 * each thread counts. What is done only once is done before, by a warm-up.
 *
 * <p><b>Threading:</b> one thread; one recorder at a time.
 */
public final class WalkRecorder {

    private static final int WARM_UP = 200;
    private static final int REPETITIONS = 12;
    /** Entries of an idle thread after which it is taken to be idle: some rounds. */
    private static final int IDLE_ENTRIES = 800;
    private static final int MAX_LESSONS = 200;
    private static final Duration LIMIT = TestTime.seconds(20);

    private static volatile @Nullable WalkRecorder active;

    private final TracedClasses classes;
    private final Map<String, Thread> engines = new LinkedHashMap<>();
    private final Map<Thread, Track> tracks = new ConcurrentHashMap<>();
    /** What all threads have entered, guarded by itself. */
    private final List<List<MethodEntry>> order = new ArrayList<>();
    private final Map<String, Walk> walks = new LinkedHashMap<>();

    /** What runs operations; its class is loaded anew, with this project's classes. */
    @FunctionalInterface
    public interface Program {
        /** Runs them. */
        void run(WalkRecorder recorder);
    }

    private WalkRecorder(TracedClasses classes) {
        this.classes = classes;
    }

    /**
     * Runs a program in traced classes, and prints the walks; with {@code -Dwalks.tree} each method as well.
     *
     * @param program has a public constructor without parameters
     * @return the walks that it has recorded: {@code OPERATION, THREAD} on one thread (the one that calls
     *         is the {@code caller}), {@code OPERATION} on all
     */
    public static Map<String, Walk> run(Class<? extends Program> program) throws ReflectiveOperationException {
        TracedClasses classes = new TracedClasses(program);
        WalkRecorder recorder = new WalkRecorder(classes);
        Program traced = (Program) classes.loadClass(program.getName()).getConstructor().newInstance();
        try {
            traced.run(recorder);
        } finally {
            active = null;
        }
        recorder.walks.forEach((name, walk) -> System.out.println(name + ": " + walk
                + (Boolean.getBoolean("walks.tree") ? "\n" + walk.tree() : "")));
        return recorder.walks;
    }

    /** A traced method begins. Public only because traced classes are in other packages. */
    public static void entered() {
        WalkRecorder recorder = active;
        if (recorder != null) {
            Track track = recorder.tracks.get(Thread.currentThread());
            if (track != null) {
                track.entered();
            }
        }
    }

    /**
     * Adds the thread of an engine that does not sleep.
     *
     * @param name its name in the names of walks
     * @param thread the thread
     */
    public void watch(String name, Thread thread) {
        engines.put(name, thread);
    }

    /**
     * Records an operation.
     *
     * @param name its name in the names of walks
     * @param operation begins it on the calling thread; the future completes when it has ended on all threads
     */
    public void record(String name, Supplier<? extends CompletableFuture<?>> operation) {
        for (int i = 0; i < WARM_UP; i++) {
            operation.get().orTimeout(LIMIT.toMillis(), TimeUnit.MILLISECONDS).join();
        }
        tracks.clear();
        engines.values().forEach(thread -> tracks.put(thread, new Track()));
        active = this;
        tracks.values().forEach(Track::learnIdle);
        active = null;
        Map<String, List<Walk>> recorded = new LinkedHashMap<>();
        for (int i = 0; i < REPETITIONS; i++) {
            repeat(operation).forEach((thread, walk) ->
                    recorded.computeIfAbsent(name + thread, ignored -> new ArrayList<>()).add(walk));
        }
        recorded.forEach((key, all) -> walks.put(key, all.stream().min(Comparator.comparing(Walk::crossings)
                .thenComparing(walk -> walk.files().size())).orElseThrow()));
    }

    private Map<String, Walk> repeat(Supplier<? extends CompletableFuture<?>> operation) {
        Track caller = new Track();
        tracks.values().forEach(Track::begin);
        synchronized (order) {
            order.clear();
        }
        tracks.put(Thread.currentThread(), caller);
        active = this;
        CompletableFuture<?> end = operation.get();
        tracks.remove(Thread.currentThread());
        until(end::isDone);
        tracks.values().forEach(Track::awaitIdle);
        active = null;
        end.join();
        Map<String, Walk> recorded = new LinkedHashMap<>();
        recorded.put(", caller", caller.walk());
        engines.forEach((name, thread) -> recorded.put(", " + name,
                Objects.requireNonNull(tracks.get(thread)).walk()));
        recorded.put("", new Walk(order));
        return recorded;
    }

    private static void until(BooleanSupplier condition) {
        await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1)).atMost(LIMIT)
                .until(condition::getAsBoolean);
    }

    /** What one thread enters. */
    private final class Track {

        private final StackWalker stack = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
        private final List<List<MethodEntry>> entries = new ArrayList<>();
        /** Stacks of traced methods, the entered one first. */
        private Set<List<MethodEntry>> idle = Set.of();
        private @Nullable Set<List<MethodEntry>> lesson;
        private int idleEntries;

        synchronized void entered() {
            List<MethodEntry> methods = stack.walk(frames -> frames.filter(classes::isTraced).map(classes::entry)
                    .toList());
            if (lesson != null) {
                lesson.add(methods);
                idleEntries++;
            } else if (idle.contains(methods)) {
                idleEntries++;
            } else {
                idleEntries = 0;
                entries.add(methods);
                synchronized (order) {
                    order.add(methods);
                }
            }
        }

        /** Waits for two lessons with the same stacks: what ends late, or comes rarely, is not idling. */
        void learnIdle() {
            Set<List<MethodEntry>> before = Set.of();
            for (int i = 0; i < MAX_LESSONS; i++) {
                begin(new HashSet<>());
                awaitIdle();
                Set<List<MethodEntry>> learned = endLesson();
                if (learned.equals(before)) {
                    return;
                }
                before = learned;
            }
            throw new IllegalStateException("an engine does something else in each round");
        }

        private synchronized void begin(@Nullable Set<List<MethodEntry>> newLesson) {
            lesson = newLesson;
            idleEntries = 0;
        }

        private synchronized Set<List<MethodEntry>> endLesson() {
            idle = Objects.requireNonNull(lesson);
            lesson = null;
            return idle;
        }

        synchronized void begin() {
            entries.clear();
            idleEntries = 0;
        }

        void awaitIdle() {
            until(this::isIdle);
        }

        private synchronized boolean isIdle() {
            return idleEntries >= IDLE_ENTRIES;
        }

        synchronized Walk walk() {
            return new Walk(entries);
        }
    }
}
