package io.reactorucx.stress;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.AtomicOperation;
import io.reactorucx.core.AtomicWidth;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.MemoryDescriptor;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpData;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.UcpRemoteKey;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.UcxArena;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Random calls of the module core: workers, endpoints, keys and memory, in any order. */
final class CoreCalls {

    private static final int SMALL = 1500;

    private final CoreRound round;
    private final Random random;
    private final long number;
    private final CoreRound.Link link;
    private final UcpEndpoint endpoint;
    private final UcpWorker worker;

    private CoreCalls(CoreRound round, Random random, long number) {
        this.round = round;
        this.random = random;
        this.number = number;
        this.link = round.choose(random);
        this.endpoint = link.endpoint;
        this.worker = link.owner;
    }

    static void make(CoreRound round, Random random, long number) {
        new CoreCalls(round, random, number).make();
        for (int i = random.nextInt(4); i > 0; i--) {
            round.progress();
        }
    }

    private void make() {
        switch (random.nextInt(16)) {
            case 0, 1, 2 -> send();
            case 3 -> refusedSends();
            case 4, 5 -> held();
            case 6, 7 -> tags();
            case 8 -> refusedTags();
            case 9 -> streams();
            case 10, 11 -> remote();
            case 12 -> close();
            case 13 -> order();
            case 14 -> memory();
            default -> wrongState();
        }
    }

    private String name(String what) {
        return number + " " + round.links.indexOf(link) + " " + what;
    }

    private void wrong(String what, Runnable call) {
        round.journal.plain(name(what), Rule.WRONG, call);
    }

    private static MemorySegment memory(long bytes) {
        return Arena.ofAuto().allocate(Math.max(1, bytes), 8).asSlice(0, bytes);
    }

    private void send() {
        if (link.closed) {
            return;
        }
        AmProtocol[] all = AmProtocol.values();
        int size = random.nextInt(5) == 0 ? random.nextInt(500_000) : random.nextInt(3000);
        AmProtocol protocol = all[random.nextInt(all.length)];
        round.send(name("amSend " + protocol), link, Payload.PREFIX + size, protocol, random.nextBoolean());
    }

    private void refusedSends() {
        MemorySegment some = memory(2000);
        MemorySegment none = MemorySegment.NULL;
        switch (random.nextInt(6)) {
            case 0 -> wrong("amSend to an id below 0",
                    () -> endpoint.amSend(-1, none, some, null, AmProtocol.AUTO, false, CoreCalls::never));
            case 1 -> wrong("amSend to an id above 65535",
                    () -> endpoint.amSend(65_536, none, some, null, AmProtocol.AUTO, false, CoreCalls::never));
            case 2 -> wrong("amSend of too long a header", () -> endpoint.amSend(1,
                    MemorySegment.ofArray(new byte[worker.maxHeaderBytes() + 1]), some, null, AmProtocol.AUTO, false,
                    CoreCalls::never));
            case 3 -> wrong("amSend of the heap", () -> endpoint.amSend(1, none,
                    MemorySegment.ofArray(new byte[1000]), null, AmProtocol.AUTO, false, CoreCalls::never));
            case 4 -> {
                MemorySegment closed;
                try (Arena arena = Arena.ofShared()) {
                    closed = arena.allocate(1000);
                    wrong("amSend of an arena that can be closed", () -> endpoint.amSend(1, none, closed, null,
                            AmProtocol.AUTO, false, CoreCalls::never));
                }
                wrong("amSend of a closed arena", () -> endpoint.amSend(1, none, closed, null, AmProtocol.AUTO, false,
                        CoreCalls::never));
            }
            default -> wrong("amSend of memory that is not of its registration", () -> endpoint.amSend(1, none, some,
                    round.memories.get(worker), AmProtocol.AUTO, false, CoreCalls::never));
        }
    }

    /** A completion of a call that is refused. */
    private static void never(int status, long length, long tag) {
        throw new IllegalStateException("the completion of a refused call was called");
    }

    private void held() {
        UcpWorker owner = round.workers.get(random.nextInt(2));
        List<UcpActiveMessage> messages = round.held.get(owner);
        if (messages.isEmpty()) {
            return;
        }
        UcpActiveMessage message = messages.get(random.nextInt(messages.size()));
        switch (random.nextInt(6)) {
            case 0 -> {
                messages.remove(message);
                round.journal.plain(name("release"), Rule.LEGAL, () -> owner.activeMessages().release(message));
                wrong("release, twice", () -> owner.activeMessages().release(message));
                wrong("fetch of a released message", () -> owner.activeMessages().fetch(message,
                        memory(message.length()), null, CoreCalls::never));
            }
            case 1 -> wrong("fetch into too small a segment", () -> owner.activeMessages().fetch(message,
                    memory(message.length() - 1), null, CoreCalls::never));
            case 2 -> wrong("fetch by another worker", () -> round.other(owner).activeMessages().fetch(message,
                    memory(message.length()), null, CoreCalls::never));
            default -> round.fetch(name("fetch"), owner, message);
        }
    }

    private void tags() {
        int size = Payload.PREFIX + random.nextInt(SMALL);
        long tag = random.nextInt(3);
        switch (random.nextInt(7)) {
            case 0, 1 -> {
                MemorySegment payload = Payload.of(2, number, size);
                round.post(name("tagSend"), rule(), done -> endpoint.tagSend(payload, null, tag, done), () -> { });
            }
            case 2 -> {
                if (round.canForce()) {
                    MemorySegment payload = Payload.of(2, number, size);
                    round.post(name("tagSendSync"), rule(), done -> endpoint.tagSendSync(payload, null, tag, done),
                            () -> { });
                }
            }
            case 3 -> round.journal.plain(name("probe"), Rule.LEGAL, () -> worker.tags().probe(tag, -1));
            case 4 -> round.journal.plain(name("take"), Rule.LEGAL, () -> worker.tags().take(tag, -1)
                    .ifPresent(message -> {
                        MemorySegment destination = memory(message.length());
                        round.post(name("receive of a taken message"), Rule.LEGAL, done -> {
                            worker.tags().receive(message, UcpData.of(destination), done);
                            return false;
                        }, () -> round.compare(destination));
                        wrong("receive of a taken message, twice", () -> worker.tags().receive(message,
                                UcpData.of(destination), CoreCalls::never));
                    }));
            default -> receive(tag);
        }
    }

    private void receive(long tag) {
        MemorySegment destination = memory(random.nextInt(6) == 0 ? 50 : 200_000);
        long[] receive = new long[1];
        round.post(name("tags receive"), Rule.LEGAL, done -> {
            receive[0] = worker.tags().receive(destination, null, tag, -1, done);
            return false;
        }, () -> { });
        if (random.nextInt(3) == 0) {
            round.journal.plain(name("cancel"), Rule.LEGAL, () -> worker.tags().cancel(receive[0]));
            round.journal.plain(name("cancel, twice"), Rule.EITHER, () -> worker.tags().cancel(receive[0]));
        }
    }

    /** A call on an endpoint that is closed is refused. */
    private Rule rule() {
        return link.closed ? Rule.WRONG : Rule.LEGAL;
    }

    private void refusedTags() {
        switch (random.nextInt(4)) {
            case 0 -> wrong("tagSend of the heap", () -> endpoint.tagSend(MemorySegment.ofArray(new byte[1000]), null,
                    1, CoreCalls::never));
            case 1 -> wrong("tags receive into read-only memory", () -> worker.tags().receive(
                    memory(100).asReadOnly(), null, 99, -1, CoreCalls::never));
            case 2 -> wrong("data of no segments", () -> UcpData.ofSegments(List.of()));
            default -> wrong("elements that do not fill", () -> UcpData.elements(memory(100), 7));
        }
    }

    private void streams() {
        switch (random.nextInt(5)) {
            case 0 -> wrong("stream send of nothing", () -> endpoint.stream().send(MemorySegment.NULL, null,
                    CoreCalls::never));
            case 1 -> wrong("stream receive of nothing", () -> endpoint.stream().receive(
                    UcpData.of(MemorySegment.NULL), false, CoreCalls::never));
            case 2 -> round.journal.plain(name("stream borrow"), Rule.EITHER, () -> endpoint.stream().borrow()
                    .ifPresent(data -> {
                        data.close();
                        data.close();
                    }));
            default -> {
                MemorySegment payload = memory(1 + random.nextInt(SMALL));
                round.post(name("stream send"), rule(), done -> endpoint.stream().send(payload, null, done),
                        () -> { });
            }
        }
    }

    private void remote() {
        if (link.closed) {
            wrong("unpack on a closed endpoint", () -> endpoint.unpack(round.memories.get(link.target).descriptor()));
            return;
        }
        if (random.nextInt(6) == 0) {
            byte[] garbage = new byte[random.nextInt(100)];
            random.nextBytes(garbage);
            wrong("descriptor of garbage", () -> MemoryDescriptor.fromBytes(garbage));
            return;
        }
        UcpRemoteKey[] key = new UcpRemoteKey[1];
        round.journal.plain(name("unpack"), Rule.LEGAL,
                () -> key[0] = endpoint.unpack(round.memories.get(link.target).descriptor()));
        UcpRemoteKey unpacked = key[0];
        if (unpacked == null) {
            return;
        }
        MemorySegment local = memory(random.nextInt(CoreRound.WINDOW_BYTES));
        switch (random.nextInt(6)) {
            case 0, 1 -> round.post(name("put"), Rule.LEGAL, done -> endpoint.put(local, null, unpacked, 0, done),
                    () -> { });
            case 2, 3 -> round.post(name("get"), Rule.LEGAL, done -> endpoint.get(local, null, unpacked, 0, done),
                    () -> { });
            case 4 -> {
                round.post(name("atomic add"), Rule.LEGAL, done -> endpoint.atomics().post(AtomicOperation.ADD,
                        AtomicWidth.LONG, 1, unpacked, 8L * random.nextInt(10), done), () -> { });
                wrong("atomic at an odd offset", () -> endpoint.atomics().post(AtomicOperation.ADD, AtomicWidth.LONG,
                        1, unpacked, 3, CoreCalls::never));
            }
            default -> {
                wrong("put outside", () -> endpoint.put(memory(8), null, unpacked, CoreRound.WINDOW_BYTES - 7,
                        CoreCalls::never));
                wrong("get below 0", () -> endpoint.get(memory(8), null, unpacked, -1, CoreCalls::never));
            }
        }
        unpacked.close();
        wrong("put by a closed key", () -> endpoint.put(memory(8), null, unpacked, 0, CoreCalls::never));
        unpacked.close();
    }

    private void close() {
        switch (random.nextInt(8)) {
            case 0, 1, 2 -> {
                // UCX loses count of requests that wait in an endpoint which is closed before it is wired.
                if (link.wired && !link.closed && round.closesEndpoints()) {
                    round.beforeClose();
                    boolean force = round.canForce() && random.nextInt(endpoint.inFlight() == 0 ? 2 : 8) == 0;
                    close(force ? CloseMode.FORCE : CloseMode.FLUSH);
                }
            }
            case 3 -> {
                if (link.closed || !round.canForce()) {
                    wrong("close FORCE that cannot be", () -> endpoint.close(CloseMode.FORCE, CoreCalls::never));
                }
            }
            case 4 -> wrong("connect to a truncated address", () -> worker.connect(
                    Arrays.copyOf(worker.address(), random.nextInt(8)), new io.reactorucx.core.EndpointOptions(
                    endpoint.errorMode(), "nobody", (failed, status) -> { })));
            default -> {
                if (round.links.size() < 20) {
                    round.connect(worker);
                }
            }
        }
    }

    private void close(CloseMode mode) {
        // Refused while something is in flight that UCX would not wait for.
        round.journal.plain(name("close " + mode + " of a link"), Rule.EITHER, () -> round.post(name("close " + mode),
                Rule.EITHER, done -> {
                    boolean now = endpoint.close(mode, done);
                    link.closed = true;
                    return now;
                }, () -> { }));
    }

    private void order() {
        switch (random.nextInt(5)) {
            case 0 -> round.post(name("flush"), rule(), endpoint::flush, () -> { });
            case 1 -> round.post(name("worker flush"), Rule.LEGAL, worker::flush, () -> { });
            case 2 -> round.journal.plain(name("fence"), Rule.LEGAL, worker::fence);
            case 3 -> round.journal.plain(name("arm"), Rule.LEGAL, () -> {
                worker.arm();
                worker.signal();
            });
            default -> round.journal.plain(name("queries"), Rule.EITHER, () -> {
                String all = worker.info() + worker.attributes() + worker.address().length + endpoint.transports()
                        + endpoint.info() + endpoint.attributes() + worker.context().attributes();
                if (all.isEmpty()) {
                    round.journal.fault("nothing is said", null);
                }
            });
        }
    }

    private void memory() {
        UcxArena arena = UcxArena.ofShared();
        MemorySegment segment = arena.allocate(10_000, 8);
        UcpMemory[] mapped = new UcpMemory[1];
        round.journal.plain(name("register"), Rule.LEGAL, () -> mapped[0] = worker.context().register(segment));
        UcpMemory memory = mapped[0];
        if (memory != null) {
            wrong("close of an arena that is registered", arena::close);
            memory.close();
            memory.close();
            wrong("descriptor of closed memory", memory::descriptor);
        }
        round.journal.plain(name("close of an arena"), Rule.LEGAL, arena::close);
        wrong("register of the heap", () -> worker.context().register(MemorySegment.ofArray(new byte[100])));
        wrong("register of a closed arena", () -> worker.context().register(segment));
        wrong("allocate of less than nothing", () -> worker.context().allocate(-1));
    }

    private void wrongState() {
        switch (random.nextInt(5)) {
            case 0 -> wrong("close of a context with a worker", worker.context()::close);
            case 1 -> {
                if (!worker.endpoints().isEmpty()) {
                    wrong("close of a worker with endpoints", worker::close);
                }
            }
            case 2 -> elsewhere("progress on another thread", worker::progress);
            case 3 -> elsewhere("amSend on another thread", () -> endpoint.amSend(1, MemorySegment.NULL, memory(10),
                    null, AmProtocol.AUTO, false, CoreCalls::never));
            default -> wrong("handler for an id above 65535",
                    () -> worker.activeMessages().handler(65_536, message -> { }));
        }
    }

    private void elsewhere(String what, Runnable call) {
        Thread thread = Thread.ofPlatform().start(() -> wrong(what, call));
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
