package io.reactorucx;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.engine.EngineConfig;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.memory.UcxMemoryWindow;
import io.reactorucx.memory.WindowDescriptor;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.testsupport.WalkRecorder;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/** Runs one operation of each kind between two peers over shared memory: 8 bytes each, by a thread of its own. */
public final class WalkedPeers implements WalkRecorder.Program {

    private static final int MESSAGE_ID = 7;
    private static final int SIZE = 8;
    /** Engines that do not sleep, and leave the processor to each other. */
    private static final EngineConfig YIELDING = EngineConfig.of("reactor-ucx").withIdleRounds(0, Integer.MAX_VALUE);

    private volatile CompletableFuture<Void> arrival = new CompletableFuture<>();

    /** Made by {@link WalkRecorder#run}. */
    public WalkedPeers() {
    }

    @Override
    public void run(WalkRecorder recorder) {
        try (Peers peers = Peers.connect(Route.POSIX_BY_SOCKET_ADDRESS, resources -> resources
                .engineConfig(YIELDING).remoteMemoryAccess(false).remoteAtomics(false),
                server -> server, client -> client)) {
            UcxConnection client = peers.client();
            recorder.watch("client", threadOf(client));
            recorder.watch("server", threadOf(peers.served()));
            receive(peers.served());
            byte[] message = new byte[SIZE];
            MemorySegment memory = Bytes.zeroed(SIZE);

            recorder.record("send", () -> arriving(() -> client.outbound().sendByteArrays(Mono.just(message))));
            recorder.record("active message", () -> arriving(() -> client.activeMessages().send(MESSAGE_ID, memory)));
            recorder.record("request", () -> client.requester().requestResponse(message).toFuture());
            UcxMemoryWindow window = peers.serverResources().exportMemory(memory, EnumSet.of(MemoryRight.READ));
            RemoteMemory remote = client.memory(WindowDescriptor.fromBytes(window.descriptor().toBytes()));
            MemorySegment destination = Bytes.zeroed(SIZE);
            recorder.record("get", () -> remote.get(0, destination).toFuture());
            window.revoke().block(Waits.PATIENCE);
        }
    }

    private void receive(UcxConnection served) {
        served.inbound().receiveByteArrays().subscribe(message -> arrival.complete(null));
        served.activeMessages().receive(MESSAGE_ID).subscribe(message -> arrival.complete(null));
        served.respond(new UcxResponder() {
            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                return Mono.just(request);
            }
        }).subscribe();
    }

    private CompletableFuture<Void> arriving(Supplier<Mono<Void>> send) {
        arrival = new CompletableFuture<>();
        return CompletableFuture.allOf(arrival, send.get().toFuture());
    }

    private static Thread threadOf(UcxConnection connection) {
        return Objects.requireNonNull(Mono.fromCallable(Thread::currentThread).subscribeOn(connection.scheduler())
                .block(Waits.PATIENCE));
    }
}
