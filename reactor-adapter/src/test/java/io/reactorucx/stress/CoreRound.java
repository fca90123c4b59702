package io.reactorucx.stress;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.Completion;
import io.reactorucx.core.EndpointOptions;
import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpConfig;
import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpFeature;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.UcpTagMessage;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.UcpWorkerConfig;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * Two contexts with a worker each, and endpoints between them, all driven by one thread, on which random calls of the
 * module core are made.
 */
final class CoreRound {

    /** Active messages that are checked. */
    static final int CHECKED = 3;
    static final int WINDOW_BYTES = 4096;

    final CallJournal journal;
    final List<UcpWorker> workers = new ArrayList<>();
    final List<Link> links = new ArrayList<>();
    /** Messages whose data is to be fetched or released. */
    final Map<UcpWorker, List<UcpActiveMessage>> held = new HashMap<>();
    final List<UcpTagMessage> taken = new ArrayList<>();
    final Map<UcpWorker, UcpMemory> memories = new HashMap<>();

    private static final Duration SHORT = Duration.ofMillis(300);

    private final Round.Settings settings;
    private final ErrorMode mode;
    private final boolean closesEndpoints;
    private boolean closedOne;
    /** Nothing is fetched any more; what still comes is released, for its sender waits. */
    private boolean ending;
    private final List<UcpContext> contexts = new ArrayList<>();
    private final Set<String> pending = new HashSet<>();
    private final Set<Long> confirmed = new HashSet<>();
    private final Set<Long> received = new HashSet<>();
    private final Set<Long> given = new HashSet<>();
    private long numbers;
    /** Calls that are not random have numbers of their own, so that each has to end. */
    private int ownCalls;

    /** One endpoint, and what is known about it. */
    static final class Link {

        final UcpWorker owner;
        final UcpWorker target;
        final UcpEndpoint endpoint;
        boolean wired;
        boolean closed;

        Link(UcpWorker owner, UcpWorker target, UcpEndpoint endpoint) {
            this.owner = owner;
            this.target = target;
            this.endpoint = endpoint;
        }
    }

    CoreRound(Round.Settings settings, CallJournal journal, Random random) {
        this.settings = settings;
        this.journal = journal;
        mode = random.nextInt(3) == 0 ? ErrorMode.NONE : ErrorMode.PEER;
        // In error mode NONE what is under way to an endpoint that is closed never ends.
        closesEndpoints = mode == ErrorMode.PEER && random.nextBoolean();
        for (int i = 0; i < 2; i++) {
            UcpConfig.Builder builder = UcpConfig.builder().name("random-" + i).features(UcpFeature.AM, UcpFeature.TAG,
                    UcpFeature.RMA, UcpFeature.AMO64, UcpFeature.STREAM, UcpFeature.WAKEUP);
            UcpContext context = UcpContext.create((settings.transports().isEmpty() ? builder
                    : builder.transports(settings.transports().toArray(String[]::new))).build());
            contexts.add(context);
            UcpWorker worker = context.createWorker(UcpWorkerConfig.of("worker-" + i));
            workers.add(worker);
            held.put(worker, new ArrayList<>());
            memories.put(worker, context.allocate(WINDOW_BYTES));
            worker.activeMessages().handler(CHECKED, message -> arrived(worker, message));
        }
        connect(workers.get(0));
        connect(workers.get(1));
        if (settings.plant() == Round.Plant.FAULTS) {
            confirmed.add(Long.MAX_VALUE);
            pending.add("0 never");
        }
    }

    @Override
    public String toString() {
        return "core errorMode=" + mode + " transports=" + settings.transports();
    }

    boolean canForce() {
        return mode == ErrorMode.PEER;
    }

    UcpWorker other(UcpWorker worker) {
        return worker == workers.getFirst() ? workers.getLast() : workers.getFirst();
    }

    /** Makes an endpoint, which is wired when its first flush has ended. */
    void connect(UcpWorker from) {
        UcpWorker to = other(from);
        Link link = new Link(from, to, from.connect(to.address(), new EndpointOptions(mode, "random",
                (endpoint, status) -> { })));
        links.add(link);
        post(own("first flush"), Rule.LEGAL, done -> link.endpoint.flush((status, length, tag) -> {
            link.wired = true;
            done.complete(status, length, tag);
        }), () -> link.wired = true);
    }

    private String own(String name) {
        return "0 " + ++ownCalls + " " + name;
    }

    Link choose(Random random) {
        List<Link> open = links.stream().filter(link -> !link.closed).toList();
        if (open.isEmpty()) {
            connect(workers.getFirst());
            return links.getLast();
        }
        List<Link> from = random.nextInt(10) == 0 ? links : open;
        return from.get(random.nextInt(from.size()));
    }

    /** Makes a call whose completion has to come once, unless it is done at once or refused. */
    void post(String name, Rule rule, Predicate<Completion> call, Runnable whenWell) {
        boolean[] ended = new boolean[1];
        pending.add(name);
        Completion completion = (status, length, tag) -> {
            if (ended[0]) {
                journal.fault(name + ": completed twice", null);
            }
            ended[0] = true;
            pending.remove(name);
            if (status == 0) {
                whenWell.run();
            }
        };
        journal.plain(name, rule, () -> {
            boolean[] made = new boolean[1];
            try {
                boolean done = call.test(completion);
                made[0] = true;
                if (done) {
                    if (ended[0]) {
                        journal.fault(name + ": done at once, and completed", null);
                    }
                    ended[0] = true;
                    pending.remove(name);
                    whenWell.run();
                }
            } finally {
                if (!made[0]) {
                    pending.remove(name);
                    ended[0] = true;
                }
            }
        });
    }

    /** Sends a checked message. */
    void send(String name, Link link, int size, AmProtocol protocol, boolean replyable) {
        long number = ++numbers;
        given.add(number);
        MemorySegment message = Payload.of(1, number, size);
        post(name, Rule.LEGAL, done -> link.endpoint.amSend(CHECKED, Payload.prefix(message), message, null, protocol,
                replyable, done), () -> {
                    if (!closedOne) {
                        confirmed.add(number);
                    }
                });
    }

    /** Whether endpoints are closed before the end of the round. */
    boolean closesEndpoints() {
        return closesEndpoints;
    }

    /** UCX drops what arrives for an endpoint that is closed; what was signalled as sent before is awaited here. */
    void beforeClose() {
        if (!closedOne) {
            closedOne = true;
            awaitMessages();
            confirmed.clear();
        }
    }

    private void awaitMessages() {
        if (!await(() -> received.containsAll(confirmed))) {
            confirmed.removeAll(received);
            journal.fault("messages " + confirmed + ": is lost", null);
        }
    }

    private void arrived(UcpWorker worker, UcpActiveMessage message) {
        long number = Payload.number(message.header());
        if (!given.contains(number) || !received.add(number)) {
            journal.fault("message " + number + " came twice, or was never sent", null);
        }
        if (message.isInline()) {
            compare(message.payload());
        } else if (ending) {
            worker.activeMessages().release(message);
        } else {
            held.get(worker).add(message);
        }
        if (number % 50 == 0) {
            journal.plain("0 0 progress in a handler", Rule.WRONG, worker::progress);
            journal.plain("0 0 close of the worker in a handler", Rule.WRONG, worker::close);
        }
    }

    void compare(MemorySegment message) {
        if (!Payload.isIntact(message)) {
            journal.fault("a message of " + message.byteSize() + " bytes is corrupt", null);
        }
    }

    /** Takes the data of a message that waits. */
    void fetch(String name, UcpWorker worker, UcpActiveMessage message) {
        MemorySegment destination = Arena.ofAuto().allocate(Math.max(1, message.length()), 8)
                .asSlice(0, message.length());
        held.get(worker).remove(message);
        post(name, Rule.LEGAL, done -> worker.activeMessages().fetch(message, destination, null, done),
                () -> compare(destination));
    }

    void progress() {
        workers.forEach(worker -> {
            if (!worker.isClosed()) {
                worker.progress();
            }
        });
    }

    private boolean await(BooleanSupplier condition) {
        return await(settings.patience(), condition);
    }

    private boolean await(Duration limit, BooleanSupplier condition) {
        return Waits.until(limit, () -> {
            for (int i = 0; i < 100 && !condition.getAsBoolean(); i++) {
                progress();
            }
            return condition.getAsBoolean();
        });
    }

    /** Closes everything, and looks for what is left; returns how many messages were sought. */
    int end() {
        int sought = confirmed.size();
        awaitMessages();
        workers.forEach(worker -> {
            List.copyOf(held.get(worker)).forEach(message -> fetch(own("last fetch"), worker, message));
            worker.tags().cancelAll();
        });
        ending = true;
        // What UCX closes by force amid a rendezvous ends when its keepalive has looked at the peer, after 20 s.
        if (!await(canForce() ? SHORT : settings.patience(), () -> workers.stream().allMatch(
                worker -> worker.inFlight() == 0)) && !canForce()) {
            journal.fault("operations are in flight: " + pending, null);
        }
        links.stream().filter(link -> !link.closed).forEach(link -> {
            await(() -> link.wired);
            link.closed = true;
            post(own("last close"), Rule.LEGAL, done -> link.endpoint.close(
                    canForce() ? CloseMode.FORCE : CloseMode.FLUSH, done), () -> { });
        });
        taken.clear();
        if (!await(() -> workers.stream().allMatch(worker -> worker.inFlight() == 0))) {
            journal.fault("operations are left: " + workers.stream().map(UcpWorker::inFlight).toList(), null);
        }
        // Completions of operations that were refused are not called; a close that fails is called with its error.
        if (!await(pending::isEmpty)) {
            journal.fault("calls have not ended: " + pending, null);
        }
        workers.forEach(worker -> journal.plain("0 0 close of a worker", Rule.LEGAL, worker::close));
        memories.values().forEach(UcpMemory::close);
        contexts.forEach(context -> journal.plain("0 0 close of a context", Rule.LEGAL, context::close));
        if (UcpContext.openContexts() != 0) {
            journal.fault("contexts are left: " + UcpContext.openContexts(), null);
        }
        return sought;
    }
}
