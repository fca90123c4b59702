package io.reactorucx.benchmarks.perf;

import io.reactorucx.ActiveMessages;
import io.reactorucx.Tags;
import io.reactorucx.UcxConnection;
import io.reactorucx.benchmarks.perf.load.AmArrivals;
import io.reactorucx.benchmarks.perf.load.MessageArrivals;
import io.reactorucx.benchmarks.perf.load.MessageFlood;
import io.reactorucx.benchmarks.perf.load.Payloads;
import io.reactorucx.benchmarks.perf.load.Signals;
import io.reactorucx.benchmarks.perf.load.StreamArrivals;
import io.reactorucx.benchmarks.perf.load.TagNumbers;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.message.TaggedMessage;
import io.reactorucx.message.UcxResponder;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import reactor.core.publisher.Mono;

/** The server's side of a test on one connection: replies in a latency test, counts in the others. Thread: engine. */
final class ServerPart {

    static final String NO_WINDOW = "-";

    private final Setup setup;
    private final UcxConnection connection;
    private final Consumer<Throwable> whenFailed;
    private final AtomicLong received = new AtomicLong();
    private final boolean echoes;
    private String window = NO_WINDOW;

    ServerPart(Setup setup, UcxConnection connection, Consumer<Throwable> whenFailed) {
        this.setup = setup;
        this.connection = connection;
        this.whenFailed = whenFailed;
        this.echoes = setup.mode() == PerfMode.LATENCY;
    }

    /** The number of messages that have arrived. Thread: any. */
    long received() {
        return received.getAcquire();
    }

    /** The descriptor of the exported window, {@value #NO_WINDOW} for none. */
    String window() {
        return window;
    }

    private void count() {
        // Only this thread writes the counter.
        received.setRelease(received.getPlain() + 1);
    }

    void begin(int number) {
        switch (setup.test()) {
            case AM -> activeMessages();
            case TAG -> tags(number);
            case STREAM -> stream();
            case MESSAGE -> messages();
            case DUPLEX -> {
                messages();
                MessageFlood.withoutEnd(connection, setup.size(), payloads());
            }
            case REQUEST -> connection.respond(new Echo()).subscribe(Signals.ignored(whenFailed));
            case PUT, GET, FADD, SWAP, CSWAP -> export();
        }
    }

    private Payloads payloads() {
        Payloads payloads = new Payloads(connection.resources().buffers(), setup.size(), setup.buffers(),
                setup.fresh());
        connection.onDispose().subscribe(ignored -> { }, error -> { }, payloads::close);
        return payloads;
    }

    private void activeMessages() {
        Payloads payloads = payloads();
        ActiveMessages messages = connection.activeMessages();
        Signals<Void> sent = Signals.ignored(whenFailed);
        Mono<Void> pong = messages.send(AmArrivals.PONG, MemorySegment.NULL, payloads.lease(0), AmProtocol.AUTO);
        messages.receive(AmArrivals.PING).subscribe(new AmArrivals(payloads, echoes ? () -> pong.subscribe(sent)
                : this::count, whenFailed));
    }

    private void tags(int number) {
        Payloads payloads = payloads();
        Tags tags = connection.tags();
        Signals<Void> sent = Signals.ignored(whenFailed);
        Mono<Void> pong = tags.send(TagNumbers.ofPong(number), payloads.segment(0));
        for (int lane = 0; lane < setup.window(); lane++) {
            Mono<TaggedMessage> receive = tags.receive(TagNumbers.ofPing(number), payloads.segment(lane));
            receive.subscribe(new Signals<>(whenFailed) {
                @Override
                public void onComplete() {
                    if (echoes) {
                        pong.subscribe(sent);
                    } else {
                        count();
                    }
                    receive.subscribe(this);
                }
            });
        }
    }

    private void stream() {
        Mono<Void> pong = connection.streams().send(payloads().lease(0));
        Signals<Void> sent = Signals.ignored(whenFailed);
        StreamArrivals.subscribe(connection, setup.size(), echoes ? () -> pong.subscribe(sent) : this::count,
                whenFailed);
    }

    private void messages() {
        if (!echoes) {
            MessageArrivals.subscribe(connection, setup.size(), setup.window(), this::count, whenFailed);
        } else if (Payloads.isSmall(setup.size())) {
            connection.outbound().sendByteArrays(connection.inbound().receiveByteArrays())
                    .subscribe(Signals.ignored(whenFailed));
        } else {
            connection.outbound().send(connection.inbound().receive()).subscribe(Signals.ignored(whenFailed));
        }
    }

    private void export() {
        UcpMemory memory = connection.resources().allocateMemory(setup.size());
        Set<MemoryRight> rights = EnumSet.of(MemoryRight.READ, MemoryRight.WRITE);
        if (setup.test().isAtomic()) {
            rights.add(MemoryRight.ATOMIC);
        }
        window = HexFormat.of().formatHex(connection.resources().exportMemory(memory, rights).descriptor().toBytes());
    }

    /** Responds with the request. */
    private static final class Echo implements UcxResponder {

        @Override
        public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
            return Mono.just(request);
        }
    }
}
