package io.reactorucx.benchmarks.perf;

import io.reactorucx.ActiveMessages;
import io.reactorucx.RemoteAtomics;
import io.reactorucx.RemoteMemory;
import io.reactorucx.Tags;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxRequester;
import io.reactorucx.benchmarks.perf.load.AmArrivals;
import io.reactorucx.benchmarks.perf.load.ClosedLoop;
import io.reactorucx.benchmarks.perf.load.FixedRate;
import io.reactorucx.benchmarks.perf.load.LaneOperations;
import io.reactorucx.benchmarks.perf.load.Load;
import io.reactorucx.benchmarks.perf.load.MessageArrivals;
import io.reactorucx.benchmarks.perf.load.MessageFlood;
import io.reactorucx.benchmarks.perf.load.MessagePingPong;
import io.reactorucx.benchmarks.perf.load.MonoOperations;
import io.reactorucx.benchmarks.perf.load.Pace;
import io.reactorucx.benchmarks.perf.load.Payloads;
import io.reactorucx.benchmarks.perf.load.PingPong;
import io.reactorucx.benchmarks.perf.load.StreamArrivals;
import io.reactorucx.benchmarks.perf.load.TagNumbers;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.memory.MemoryPath;
import io.reactorucx.memory.WindowDescriptor;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import java.util.List;
import java.util.function.IntFunction;
import reactor.core.publisher.Mono;

/** Creates the client's load on a connection, the counterpart of {@link ServerPart}. */
final class LoadMaker {

    private final Setup setup;
    private final UcxConnection connection;
    private final int number;
    private final String window;
    private final Payloads payloads;
    private final int lanes;
    private final boolean latency;

    /**
     * Creates loads for one connection.
     *
     * @param number the number of the connection, from 0
     * @param window the descriptor of the window that the server exported
     */
    LoadMaker(Setup setup, UcxConnection connection, int number, String window) {
        this.setup = setup;
        this.connection = connection;
        this.number = number;
        this.window = window;
        this.payloads = new Payloads(connection.resources().buffers(), setup.size(), setup.buffers(),
                setup.fresh());
        connection.onDispose().subscribe(ignored -> { }, error -> { }, payloads::close);
        this.lanes = setup.window();
        this.latency = setup.mode() == PerfMode.LATENCY;
    }

    Load closedLoop() {
        if (setup.test() == PerfTest.DUPLEX) {
            MessageFlood flood = new MessageFlood(connection, setup.size(), payloads);
            MessageArrivals.subscribe(connection, setup.size(), setup.window(), () -> { }, flood::failed);
            return flood;
        }
        if (setup.test() == PerfTest.MESSAGE && !latency) {
            return new MessageFlood(connection, setup.size(), payloads);
        }
        return new ClosedLoop(connection, operations(), lanes, setup.size());
    }

    FixedRate fixedRate(double perSecond, Pace pace) {
        return new FixedRate(connection, operations(), lanes, perSecond, pace);
    }

    private LaneOperations operations() {
        return switch (setup.test()) {
            case AM -> activeMessages();
            case TAG -> tags();
            case STREAM -> stream();
            case MESSAGE, DUPLEX -> MessagePingPong.of(connection, lanes, setup.size(), payloads);
            case REQUEST -> requests();
            case PUT, GET -> memory();
            case FADD, SWAP, CSWAP -> atomics();
        };
    }

    private LaneOperations activeMessages() {
        ActiveMessages messages = connection.activeMessages();
        IntFunction<Mono<?>> send = MonoOperations.assembledOnce(lanes,
                lane -> messages.send(AmArrivals.PING, MemorySegment.NULL, payloads.lease(lane), AmProtocol.AUTO));
        if (!latency) {
            return new MonoOperations(lanes, List.of(send));
        }
        PingPong operations = new PingPong(lanes, send);
        messages.receive(AmArrivals.PONG).subscribe(new AmArrivals(payloads, operations::arrived, operations::failed));
        return operations;
    }

    private LaneOperations tags() {
        Tags tags = connection.tags();
        IntFunction<Mono<?>> send = MonoOperations.assembledOnce(lanes,
                lane -> tags.send(TagNumbers.ofPing(number), payloads.segment(lane)));
        if (!latency) {
            return new MonoOperations(lanes, List.of(send));
        }
        IntFunction<Mono<?>> receive = MonoOperations.assembledOnce(lanes,
                lane -> tags.receive(TagNumbers.ofPong(number), payloads.segment(lane)));
        return new MonoOperations(lanes, List.of(receive, send));
    }

    private LaneOperations stream() {
        IntFunction<Mono<?>> send = MonoOperations.assembledOnce(lanes,
                lane -> connection.streams().send(payloads.lease(lane)));
        if (!latency) {
            return new MonoOperations(lanes, List.of(send));
        }
        PingPong operations = new PingPong(lanes, send);
        StreamArrivals.subscribe(connection, setup.size(), operations::arrived, operations::failed);
        return operations;
    }

    private LaneOperations requests() {
        UcxRequester requester = connection.requester();
        if (Payloads.isSmall(setup.size())) {
            byte[] request = new byte[setup.size()];
            return new MonoOperations(lanes, List.of(MonoOperations.assembledOnce(lanes,
                    lane -> requester.requestResponse(request))));
        }
        return new MonoOperations(lanes, List.of(lane -> requester.requestResponse(payloads.toSend(lane))));
    }

    private RemoteMemory remote() {
        WindowDescriptor descriptor = WindowDescriptor.fromBytes(HexFormat.of().parseHex(window));
        return connection.memory(descriptor, setup.served() ? MemoryPath.SERVED : MemoryPath.ONE_SIDED);
    }

    private LaneOperations memory() {
        RemoteMemory memory = remote();
        if (setup.test() == PerfTest.GET) {
            return new MonoOperations(lanes, List.of(MonoOperations.assembledOnce(lanes,
                    lane -> memory.get(0, payloads.segment(lane)))));
        }
        IntFunction<Mono<?>> put = MonoOperations.assembledOnce(lanes, lane -> memory.put(0, payloads.lease(lane)));
        if (!latency || setup.served()) {
            return new MonoOperations(lanes, List.of(put));
        }
        // A one-sided put completes when its source may be reused, not when the data has arrived.
        return new MonoOperations(lanes, List.of(put, MonoOperations.assembledOnce(lanes, lane -> memory.flush())));
    }

    private LaneOperations atomics() {
        RemoteMemory memory = remote();
        RemoteAtomics words = setup.size() == Integer.BYTES ? memory.intAtomics() : memory.atomics();
        IntFunction<Mono<Long>> operation = switch (setup.test()) {
            case SWAP -> lane -> words.swap(0, lane);
            case CSWAP -> lane -> words.compareAndSwap(0, 0, lane);
            default -> lane -> words.fetchAdd(0, 1);
        };
        return new MonoOperations(lanes, List.of(MonoOperations.assembledOnce(lanes, operation)));
    }
}
