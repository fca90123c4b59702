package io.reactorucx.examples.guide;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.transport.LeakDetection;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The code of {@code docs/guide/buffers.md}. */
class BuffersPageTest extends Page {

    @Test
    void leasesAreCounted() {
        // snippet: lease
        UcxBuffer buffer = resources.buffers().acquire(1024);        // fails at once when the pool has no room
        try {
            MemorySegment memory = buffer.segment();
            memory.fill((byte) 1);
        } finally {
            buffer.release();
        }
        // end
        assertThat(resources.buffers().leases()).isZero();

        // snippet: wait
        Mono<UcxBuffer> waiting = resources.buffers().acquireLater(1024);    // served in the order of subscription
        // end
        waiting.doOnNext(UcxBuffer::release).block(TIMEOUT);
    }

    @Test
    void slicesKeepTheMemoryLeased() {
        // snippet: slice
        UcxBuffer whole = resources.buffers().acquire(4096);
        UcxBuffer head = whole.slice(0, 16);
        UcxBuffer body = whole.slice(16, 4080);
        whole.release();     // head and body keep the memory
        head.release();
        body.release();      // now it is back in the pool
        // end
        assertThat(resources.buffers().leasedBytes()).isZero();
    }

    @Test
    void operatorThatOwnsTheLeaseReleasesIt() throws InterruptedException {
        BlockingQueue<Long> used = new LinkedBlockingQueue<>();
        UcxBoundServer server = UcxServer.create(resources).handle(connection -> handle(connection, used)).bindNow();
        UcxConnection connection = connect(server);
        UcxBuffer payload = resources.buffers().acquire(1 << 20);

        connection.activeMessages().send(7, MemorySegment.NULL, payload, AmProtocol.RENDEZVOUS).block(TIMEOUT);
        payload.release();

        assertThat(used.poll(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(1L << 20);
    }

    private Mono<Void> handle(UcxConnection connection, BlockingQueue<Long> used) {
        // snippet: own
        Mono<Void> handled = connection.activeMessages().receive(7)
                .concatMap(message -> message.fetch(resources.buffers())
                        .flatMap(lease -> Mono.fromRunnable(() -> used.add(lease.length()))
                                .subscribeOn(Schedulers.boundedElastic())
                                .doFinally(end -> lease.release()))
                        .timeout(Duration.ofSeconds(5)))
                .doOnDiscard(Object.class, UcxBuffer::discard)
                .then();
        // end
        return handled;
    }

    @Test
    void leakDetectionHasLevels() {
        // snippet: leaks
        UcxResources watched = UcxResources.builder()
                .leakDetection(LeakDetection.ADVANCED)
                .build();
        // end
        watched.disposeNow();
    }
}
