package io.reactorucx.internal.message.simulation;

import io.reactorucx.buffer.UcxBuffer;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/**
 * Virtual time: events, which run one after the other on the calling thread in the order of their times. Their delays
 * and all other choices come from one generator, so that a seed always takes the same course.
 */
final class Simulation {

    private static final int MAX_EVENTS = 300_000;
    private static final int KEPT_NOTES = 80;
    private static final long MICROS = 1_000;
    private static final long MILLIS = 1_000_000;

    private record Event(long at, long number, Runnable action) implements Comparable<Event> {

        @Override
        public int compareTo(Event other) {
            return at == other.at ? Long.compare(number, other.number) : Long.compare(at, other.at);
        }
    }

    private final long seed;
    private final SimulatedPools pools;
    private final RandomGenerator random;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Map<UcxBuffer, String> leases = new IdentityHashMap<>();
    private final Deque<String> notes = new ArrayDeque<>();
    private long now;
    private long scheduled;
    private int ran;
    private String failure;
    private SimulatedEngine current;
    private Runnable afterEach = () -> { };

    Simulation(long seed, SimulatedPools pools) {
        this.seed = seed;
        this.pools = pools;
        this.random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    }

    long now() {
        return now;
    }

    /** Looks at the state behind each event. */
    void afterEach(Runnable look) {
        afterEach = look;
    }

    boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    /** Returns a number from 0 up to, and without, a limit. */
    int below(int limit) {
        return random.nextInt(limit);
    }

    @SafeVarargs
    final <T> T one(T... of) {
        return of[below(of.length)];
    }

    /** Returns a delay: often none or a few microseconds, seldom some milliseconds. */
    long delay() {
        return switch (below(20)) {
            case 0, 1, 2, 3, 4 -> 0;
            case 5, 6, 7, 8, 9, 10, 11, 12, 13, 14 -> below(10) * MICROS;
            case 15, 16, 17, 18 -> below(1_000) * MICROS;
            default -> below(20) * MILLIS;
        };
    }

    /** Runs an action after a random delay. */
    void soon(Runnable action) {
        at(now + delay(), action);
    }

    void after(long nanos, Runnable action) {
        at(now + nanos, action);
    }

    void at(long time, Runnable action) {
        events.add(new Event(Math.max(time, now), scheduled++, action));
    }

    /** Runs all events, and those that they cause, up to a failure. */
    void run() {
        runUntil(Long.MAX_VALUE);
    }

    /** Runs the events up to a time. */
    void runUntil(long time) {
        while (!events.isEmpty() && events.peek().at <= time && failure == null) {
            Event next = events.poll();
            now = next.at;
            if (++ran > MAX_EVENTS) {
                fail("does not come to rest");
                return;
            }
            runAs(null, next.action);
            afterEach.run();
        }
    }

    /** Runs an action on the thread of an engine, or on another one. */
    void runAs(SimulatedEngine engine, Runnable action) {
        SimulatedEngine before = current;
        current = engine;
        try {
            action.run();
        } catch (RuntimeException | Error e) {
            StringBuilder text = new StringBuilder("thrown: ").append(e);
            for (int i = 0; i < Math.min(8, e.getStackTrace().length); i++) {
                text.append("\n      at ").append(e.getStackTrace()[i]);
            }
            fail(text.toString());
        } finally {
            current = before;
        }
    }

    SimulatedEngine current() {
        return current;
    }

    /** Memory is read or written: it has to be leased then. */
    void use(MemorySegment memory, String what) {
        check(pools.isLeased(memory), what + " is not leased any more");
    }

    /** Remembers a lease of the application. */
    void track(Object message, String what) {
        if (message instanceof UcxBuffer lease) {
            leases.put(lease, what);
        }
    }

    /** Returns the leases of the application that were not released. */
    List<String> unreleased() {
        return leases.entrySet().stream().filter(entry -> SimulatedPools.isLeased(entry.getKey()))
                .map(Map.Entry::getValue).toList();
    }

    void note(String what) {
        if (notes.size() == KEPT_NOTES) {
            notes.removeFirst();
        }
        notes.add(now / MICROS + " us  " + what);
    }

    /** Notes what is wrong; the first such note counts. */
    void fail(String what) {
        if (failure == null) {
            note("FAILED " + what);
            failure = what;
        }
    }

    void check(boolean holds, String what) {
        if (!holds) {
            fail(what);
        }
    }

    boolean hasFailed() {
        return failure != null;
    }

    /** Returns the seed and what is wrong. */
    String finding() {
        return "seed " + seed + ": " + failure;
    }

    /** Returns what is wrong, with the seed and the last events. */
    String report() {
        return finding() + "\n    " + String.join("\n    ", notes);
    }
}
