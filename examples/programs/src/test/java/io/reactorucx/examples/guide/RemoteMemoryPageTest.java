package io.reactorucx.examples.guide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.RemoteMemory;
import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.UcxArena;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.memory.MemoryPath;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.memory.ServedMemoryConfig;
import io.reactorucx.memory.UcxMemoryWindow;
import io.reactorucx.memory.WindowDescriptor;
import io.reactorucx.message.UcxResponder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The code of {@code docs/guide/remote-memory.md}. */
class RemoteMemoryPageTest extends Page {

    @Test
    void peerReadsAndWritesWhatIsExported() {
        try (UcxArena arena = UcxArena.ofShared()) {
            // snippet: export
            MemorySegment table = arena.allocate(1 << 20, 8);
            UcxMemoryWindow window = resources.exportMemory(table,
                    Set.of(MemoryRight.READ, MemoryRight.WRITE, MemoryRight.ATOMIC));

            UcxBoundServer server = UcxServer.create(resources)
                    .respond(new UcxResponder() {
                        @Override
                        public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                            request.release();
                            return Mono.fromCallable(() -> resources.buffers().copyOf(window.descriptor().toBytes()));
                        }
                    })
                    .bindNow();
            // end
            table.set(ValueLayout.JAVA_LONG, 0, 41);
            UcxConnection connection = connect(server);

            // snippet: use
            byte[] descriptor = connection.requester().requestResponse(new byte[0]).block();
            RemoteMemory memory = connection.memory(WindowDescriptor.fromBytes(descriptor));

            MemorySegment local = Arena.ofAuto().allocate(4096, 8);
            memory.get(0, local).block();                         // bytes 0 to 4095 of the peer's window
            memory.put(4096, local).block();
            memory.flush().block();                               // now the peer sees the bytes
            long before = memory.atomics().fetchAdd(0, 1).block();
            // end

            assertThat(before).isEqualTo(41);
            assertThat(table.get(ValueLayout.JAVA_LONG, 4096)).isEqualTo(41);
            assertThat(table.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(42);

            streamed(memory);

            // snippet: revoke
            window.revoke().block();    // completes when no request touches the memory any more
            // end
            assertThatThrownBy(() -> memory.get(0, local).block(TIMEOUT)).isInstanceOfSatisfying(UcxException.class,
                    error -> assertThat(error.status()).isEqualTo(UcxStatus.INVALID_ADDR));
        }
    }

    private void streamed(RemoteMemory memory) {
        AtomicLong sum = new AtomicLong();
        // snippet: stream
        memory.getFlux(64 * 1024, 4)                              // chunks of 64 KiB, four in flight
                .doOnNext(chunk -> {
                    sum.addAndGet(chunk.length());
                    chunk.release();
                })
                .blockLast();

        Flux<UcxBuffer> source = Flux.range(0, 16).concatMap(number -> resources.buffers().acquireLater(64 * 1024), 1);
        long written = memory.putFlux(0, source, 4).block();
        // end
        assertThat(sum).hasValue(1 << 20);
        assertThat(written).isEqualTo(1 << 20);
    }

    @Test
    void limitsAreSet() {
        // snippet: limits
        UcxResources bounded = UcxResources.builder()
                .servedMemory(ServedMemoryConfig.DEFAULT
                        .withMaxWindows(16)
                        .withMaxRequests(32)
                        .withRevokeTimeout(Duration.ofSeconds(1)))
                .build();
        // end
        assertThat(bounded.servedMemory().maxWindows()).isEqualTo(16);
        bounded.disposeNow();
    }

    @Test
    void oneSidedAccessHasToBeAllowed() {
        // snippet: one-sided
        UcxResources trusting = UcxResources.builder()
                .remoteMemoryAccess(true)
                .build();
        UcpMemory memory = trusting.allocateMemory(1 << 20);
        UcxMemoryWindow window = trusting.exportMemory(memory, Set.of(MemoryRight.READ, MemoryRight.WRITE));
        // end
        UcxBoundServer server = UcxServer.create(trusting).bindNow();
        UcxConnection connection = UcxClient.create(trusting).remoteAddress("127.0.0.1", server.port()).connectNow();
        WindowDescriptor descriptor = window.descriptor();
        MemorySegment local = Arena.ofAuto().allocate(8, 8);

        // snippet: path
        RemoteMemory direct = connection.memory(descriptor, MemoryPath.ONE_SIDED);
        RemoteMemory served = connection.memory(descriptor, MemoryPath.SERVED);
        RemoteMemory chosen = connection.memory(descriptor);      // AUTO
        // end

        direct.get(0, local).block(TIMEOUT);
        served.get(0, local).block(TIMEOUT);
        chosen.get(0, local).block(TIMEOUT);
        assertThat(direct.path().block(TIMEOUT)).isEqualTo(MemoryPath.ONE_SIDED);
        assertThat(served.path().block(TIMEOUT)).isEqualTo(MemoryPath.SERVED);

        trusting.disposeNow();
    }
}
