package io.reactorucx.stress;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.message.UcxRequestException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;

/**
 * What random calls did: those of this round, those that have not ended, how the others ended, and what was wrong.
 *
 * <p>The calls of the round are in a file, because the process may not live long enough to print them.
 */
final class CallJournal {

    private static final int KEPT_FAULTS = 20;

    /** How messages start with which the library refuses calls in the wrong state. */
    private static final List<String> STATES = List.of("buffer of ", "buffer pool: it is closed", "active message ",
            "stream: this connection has a receiver", "receive: the messages of this stream have a subscriber",
            "respond: this connection has a responder", "remote memory of ", "Already closed", "UcxArena");

    private final RandomAccessFile file;
    private final Set<Pending> pending = ConcurrentHashMap.newKeySet();
    private final ConcurrentLinkedQueue<String> faults = new ConcurrentLinkedQueue<>();
    private final Map<String, LongAdder> endings = new ConcurrentSkipListMap<>();
    private final LongAdder made = new LongAdder();

    /** A failure that the harness makes on purpose. */
    static final class Intended extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Intended() {
            super("intended");
        }
    }

    /** A call whose publisher has not ended. */
    private static final class Pending {

        private final String name;
        private final boolean cancellable;
        private final Disposable.Swap subscription = Disposables.swap();

        Pending(String name, boolean cancellable) {
            this.name = name;
            this.cancellable = cancellable;
        }
    }

    CallJournal(RandomAccessFile file) {
        this.file = file;
    }

    /** Forgets the calls of the last round. */
    void begin(String round) {
        try {
            synchronized (file) {
                file.setLength(0);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        log(round);
    }

    void log(String line) {
        try {
            synchronized (file) {
                file.seek(file.length());
                file.write((line + '\n').getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Makes a call that returns at once. */
    void plain(String name, Rule rule, Runnable call) {
        made.increment();
        log(name);
        try {
            call.run();
            ended(name, rule);
        } catch (RuntimeException e) {
            failed(name, rule, e);
        }
    }

    /** Makes a call whose publisher has to end, at the latest with its resources. */
    <T> void follow(String name, Rule rule, boolean cancellable, Supplier<? extends Publisher<? extends T>> call,
            Consumer<? super T> whenNext, Runnable whenDone) {
        made.increment();
        log(name);
        Publisher<? extends T> publisher;
        try {
            publisher = call.get();
        } catch (RuntimeException e) {
            failed(name, rule, e);
            return;
        }
        Pending operation = new Pending(name, cancellable);
        pending.add(operation);
        operation.subscription.update(Flux.<T>from(publisher).doOnDiscard(Object.class, UcxBuffer::discard).subscribe(
                whenNext, error -> {
                    pending.remove(operation);
                    failed(name, rule, error);
                }, () -> {
                    pending.remove(operation);
                    whenDone.run();
                    ended(name, rule);
                }));
    }

    /** Cancels one of the calls that have not ended, or does nothing. */
    void cancel(String name, int which) {
        List<Pending> all = pending.stream().filter(operation -> operation.cancellable).toList();
        if (!all.isEmpty()) {
            Pending operation = all.get(which % all.size());
            made.increment();
            log(name + " cancel of " + operation.name);
            pending.remove(operation);
            operation.subscription.dispose();
        }
    }

    List<String> pendingCalls() {
        return pending.stream().map(operation -> operation.name).sorted().toList();
    }

    /** Gives up on what has not ended, so that the next round does not report it again. */
    void forgetPending() {
        pending.forEach(operation -> operation.subscription.dispose());
        pending.clear();
    }

    private void count(String name, String ending) {
        // A name is the number of the call, that of the peer, and what is called.
        String kind = name.replaceAll("[0-9]+ ?", "").trim();
        endings.computeIfAbsent(kind + ": " + ending, key -> new LongAdder()).increment();
    }

    private void ended(String name, Rule rule) {
        count(name, "well");
        if (rule == Rule.WRONG) {
            fault(name + ": is wrong, and ended well", null);
        }
    }

    /** Counts a failure, which is a fault unless the library documents it. */
    void failed(String name, Rule rule, Throwable error) {
        count(name, error instanceof UcxException ucx ? ucx.getClass().getSimpleName() + " " + ucx.status()
                : error.getClass().getSimpleName());
        if (!isDocumented(rule, error)) {
            fault(name + " (" + rule + ")", error);
        }
    }

    private static boolean isDocumented(Rule rule, Throwable error) {
        return switch (error) {
            case UcxException ucx -> true;
            case UcxRequestException request -> true;
            case Intended intended -> true;
            case RejectedExecutionException closed -> closed.getCause() != null;
            case IllegalStateException state ->
                rule != Rule.LEGAL || STATES.stream().anyMatch(start -> String.valueOf(state.getMessage())
                        .startsWith(start));
            case IllegalArgumentException argument -> rule != Rule.LEGAL && refusesAnArgument(argument);
            case IndexOutOfBoundsException range -> rule != Rule.LEGAL && refusesAnArgument(range);
            case NullPointerException missing ->
                rule != Rule.LEGAL && missing.getStackTrace().length > 0
                        && missing.getStackTrace()[0].getMethodName().equals("requireNonNull");
            default -> false;
        };
    }

    /** Says whether an error is one that the library throws on purpose: its subclasses come from faults in code. */
    static boolean refusesAnArgument(Throwable error) {
        boolean thrownOnPurpose = error.getClass() == IllegalArgumentException.class
                || error.getClass() == IndexOutOfBoundsException.class;
        return thrownOnPurpose && error.getMessage() != null && error.getMessage().length() > 10;
    }

    void fault(String what, @Nullable Throwable error) {
        if (faults.size() < KEPT_FAULTS) {
            StringWriter text = new StringWriter().append(what);
            if (error != null) {
                text.append('\n');
                error.printStackTrace(new PrintWriter(text));
            }
            faults.add(text.toString());
            log("FAULT " + what);
        }
    }

    boolean isFaulty() {
        return !faults.isEmpty();
    }

    long made() {
        return made.sum();
    }

    void printFaults() {
        faults.forEach(fault -> System.out.println("FAULT " + fault));
    }

    void printEndings() {
        endings.forEach((ending, count) -> System.out.println(count + " x " + ending));
    }
}
