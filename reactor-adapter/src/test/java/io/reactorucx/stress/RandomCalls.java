package io.reactorucx.stress;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.message.UcxRequestException;
import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import reactor.core.Exceptions;
import reactor.core.publisher.Hooks;

/**
 * A program that makes random calls of the public API, round after round, and ends with 1 if one of them did what the
 * library does not promise.
 *
 * <p>Call n draws from a {@link Random} of {@code seed * 1_000_003 + n}; so the same seed makes the same choices,
 * although threads take them in an order of their own.
 */
public final class RandomCalls {

    /** System properties of this program. */
    static final String SEED = "stress.seed";
    static final String SECONDS = "stress.seconds";
    static final String TRANSPORTS = "stress.transports";
    static final String FIRST = "stress.first";
    static final String PLANT = "stress.plant";
    static final String CORE = "stress.core";
    static final String JOURNAL = "stress.journal";

    private static final long FACTOR = 1_000_003;
    /** Numbers of the calls of one round. */
    private static final int ROUND = 1000;
    private static final int LEAST_CALLS = 100;
    private static final int PLANTED_CALLS = 30;
    private static final int MOST_PENDING = 200;
    private static final Duration STUCK = TestTime.seconds(90);
    /** Rounds until everything has been loaded and the pools of threads have their size. */
    private static final int WARM_UP = 4;
    private static final int SLACK = 12;

    private final long seed = Long.getLong(SEED, 1);
    private final long seconds = Long.getLong(SECONDS, 10);
    private final List<String> transports = Stream.of(System.getProperty(TRANSPORTS, "default").split(","))
            .filter(name -> !name.equals("default")).toList();
    private final Round.Plant plant = Round.Plant.valueOf(System.getProperty(PLANT, "NOTHING"));
    private final boolean core = Boolean.getBoolean(CORE);
    private final CallJournal journal;
    private final AtomicLong progress = new AtomicLong(System.nanoTime());
    private long highestDescriptors;

    private RandomCalls(CallJournal journal) {
        this.journal = journal;
    }

    /**
     * Makes calls.
     *
     * @param arguments none; the settings are system properties
     */
    public static void main(String[] arguments) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(System.getProperty(JOURNAL, "/dev/null"), "rw")) {
            CallJournal journal = new CallJournal(file);
            Hooks.onNextDropped(UcxBuffer::discard);
            Hooks.onErrorDropped(error -> {
                if (!Exceptions.unwrapMultiple(error).stream().allMatch(RandomCalls::mayBeDropped)) {
                    journal.fault("an error was dropped", error);
                }
            });
            Thread.setDefaultUncaughtExceptionHandler((thread, error) -> {
                // Reactor reports a task of an engine that is closed here, and to its caller.
                if (!(error instanceof RejectedExecutionException)) {
                    journal.fault("uncaught in " + thread, error);
                }
            });
            new RandomCalls(journal).run();
            journal.printEndings();
            journal.printFaults();
            System.out.flush();
            Runtime.getRuntime().halt(journal.isFaulty() ? 1 : 0);
        }
    }

    /** Calls that were cancelled fail without a receiver: they were wrong, or end with their connection or thread. */
    private static boolean mayBeDropped(Throwable error) {
        String message = String.valueOf(error.getMessage());
        return error instanceof UcxException || error instanceof CallJournal.Intended
                || error.getCause() instanceof CallJournal.Intended
                || error instanceof UcxRequestException
                || CallJournal.refusesAnArgument(error)
                || message.startsWith("buffer of ") || message.startsWith("payload: the arena of ")
                || message.startsWith("remote memory of ")
                || message.endsWith("this connection has a receiver for it already")
                || message.startsWith("disposeNow: blocks, which is not supported");
    }

    private void run() {
        watch();
        long end = System.nanoTime() + Duration.ofSeconds(seconds).toNanos();
        long round = Long.getLong(FIRST, 0);
        int rounds = 0;
        long messages = 0;
        do {
            messages += core ? coreRound(round) : round(round);
            compareLevels(rounds++);
            round++;
        } while (System.nanoTime() - end < 0 && !journal.isFaulty());
        System.out.println("seed " + seed + ": " + rounds + " rounds, " + journal.made() + " calls, " + messages
                + " messages checked, " + ProcessLevels.ofThis());
    }

    private long round(long number) {
        long first = number * ROUND;
        Random choices = new Random(seed * FACTOR + first);
        journal.begin("round " + number + " of seed " + seed);
        Round round = new Round(settings(), journal, choices);
        journal.log(round.toString());
        int calls = plant != Round.Plant.NOTHING ? PLANTED_CALLS : LEAST_CALLS + choices.nextInt(ROUND / 2);
        for (int i = 1; i <= calls; i++) {
            progress.set(System.nanoTime());
            make(round, first + i);
        }
        if (plant == Round.Plant.ABORT) {
            Runtime.getRuntime().halt(134);
        }
        return round.end(choices);
    }

    /** The module core has one thread, which makes the calls and progress in turn. */
    private long coreRound(long number) {
        long first = number * ROUND;
        Random choices = new Random(seed * FACTOR + first);
        journal.begin("round " + number + " of seed " + seed);
        CoreRound round = new CoreRound(settings(), journal, choices);
        journal.log(round.toString());
        int calls = LEAST_CALLS + choices.nextInt(ROUND / 2);
        for (int i = 1; i <= calls; i++) {
            progress.set(System.nanoTime());
            CoreCalls.make(round, new Random(seed * FACTOR + first + i), first + i);
        }
        return round.end();
    }

    private Round.Settings settings() {
        return new Round.Settings(transports, plant,
                plant == Round.Plant.NOTHING ? Duration.ofSeconds(25) : Duration.ofSeconds(1));
    }

    private void make(Round round, long number) {
        Random random = new Random(seed * FACTOR + number);
        Call call = new Call(round, round.choose(random), random, number);
        List<Call.Kind> group = random.nextInt(200) == 0 ? LifecycleCalls.RARE : switch (random.nextInt(8)) {
            case 0, 1 -> MessageCalls.KINDS;
            case 2, 3 -> ActiveMessageCalls.KINDS;
            case 4 -> WorkerCalls.KINDS;
            case 5, 6 -> MemoryCalls.KINDS;
            default -> LifecycleCalls.KINDS;
        };
        Call.Kind kind = group.get(random.nextInt(group.size()));
        if (group != LifecycleCalls.RARE && group != LifecycleCalls.KINDS && random.nextInt(4) == 0) {
            try {
                call.connection().scheduler().schedule(() -> make(call, kind));
            } catch (RejectedExecutionException e) {
                journal.log(number + " its engine is closed");
            }
        } else {
            make(call, kind);
        }
        if (random.nextInt(3) == 0) {
            LockSupport.parkNanos(random.nextInt(1_000_000));
        }
        // Not a condition of the check: some calls end with their connection only.
        boolean few = Waits.until(Duration.ofMillis(20), () -> journal.pendingCalls().size() < MOST_PENDING);
        if (!few) {
            journal.log("many calls are pending");
        }
    }

    private void make(Call call, Call.Kind kind) {
        try {
            kind.make(call);
        } catch (RuntimeException e) {
            journal.failed(call.number() + " preparation", Rule.LEGAL, e);
        }
    }

    private void compareLevels(int round) {
        ProcessLevels levels = ProcessLevels.ofThis();
        if (levels.sharedMappings() > 0) {
            journal.fault("shared memory is mapped after the end: " + levels, null);
        }
        if (round < WARM_UP) {
            highestDescriptors = Math.max(highestDescriptors, levels.descriptors());
        } else if (levels.descriptors() > highestDescriptors + SLACK) {
            journal.fault("descriptors grow from " + highestDescriptors + ": " + levels, null);
        }
    }

    /** Ends this process with all stacks when a call does not return. */
    private void watch() {
        Thread.ofPlatform().daemon().name("watch").start(() -> {
            while (Waits.until(Duration.ofDays(1), () -> System.nanoTime() - progress.get() > STUCK.toNanos())) {
                System.out.println("FAULT a call has not returned for " + STUCK + "; pending: "
                        + journal.pendingCalls());
                Thread.getAllStackTraces().forEach((thread, stack) -> System.out.println(thread + "\n    "
                        + String.join("\n    ", Stream.of(stack).map(Object::toString).toList())));
                Runtime.getRuntime().halt(3);
            }
        });
    }
}
