package io.reactorucx.examples.guide;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.UcxArena;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.message.TaggedBuffer;
import io.reactorucx.transport.OverflowPolicy;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The code of {@code docs/guide/active-messages.md}. */
class ActiveMessagesPageTest extends Page {

    private final BlockingQueue<Object> seen = new LinkedBlockingQueue<>();

    @Override
    UcxResources newResources() {
        // snippet: byte-stream-feature
        UcxResources resources = UcxResources.builder().streams(true).build();
        // end
        return resources;
    }

    private Object next() throws InterruptedException {
        return seen.poll(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    }

    private void store(UcxBuffer data) {
        seen.add(data.length());
    }

    @Test
    void smallDataIsInlineAndLargeDataIsFetched() throws InterruptedException {
        // snippet: receive
        UcxBoundServer server = UcxServer.create(resources)
                .handle(connection -> connection.activeMessages().receive(7)
                        .concatMap(message -> message.fetch(resources.buffers())
                                .doOnNext(data -> {
                                    store(data);
                                    data.release();
                                }))
                        .then())
                .bindNow();
        // end
        UcxConnection connection = connect(server);

        // snippet: send
        connection.activeMessages().send(7, "small".getBytes(UTF_8)).block();

        try (UcxArena arena = UcxArena.ofShared()) {
            MemorySegment header = arena.allocateFrom("file 1");
            MemorySegment payload = arena.allocate(8 << 20);
            connection.activeMessages().send(7, header, payload, AmProtocol.RENDEZVOUS).block();
        }
        // end

        assertThat(next()).isEqualTo(5L);
        assertThat(next()).isEqualTo(8L << 20);
    }

    @Test
    void whatIsNotWantedIsDiscarded() throws InterruptedException {
        UcxBoundServer server = UcxServer.create(resources).handle(this::receiveSome).bindNow();
        UcxConnection connection = connect(server);
        UcxBuffer payload = resources.buffers().acquire(1 << 20);
        MemorySegment wanted = MemorySegment.ofArray(new byte[] {1});
        MemorySegment other = MemorySegment.ofArray(new byte[] {2});

        Flux.just(other, wanted)
                .concatMap(header -> connection.activeMessages().send(7, header, payload, AmProtocol.RENDEZVOUS))
                .blockLast(TIMEOUT);
        payload.release();

        assertThat(next()).isEqualTo(1L << 20);
        assertThat(seen).isEmpty();
    }

    private Mono<Void> receiveSome(UcxConnection connection) {
        // snippet: discard
        Mono<Void> handled = connection.activeMessages().receive(7)
                .concatMap(message -> {
                    if (message.header().get(ValueLayout.JAVA_BYTE, 0) != 1) {
                        message.discard();
                        return Mono.<UcxBuffer>empty();
                    }
                    return message.fetch(resources.buffers());
                })
                .doOnNext(data -> {
                    store(data);
                    data.release();
                })
                .then();
        // end
        return handled;
    }

    @Test
    void queueIsBounded() throws InterruptedException {
        // snippet: overflow
        UcxServer bounded = UcxServer.create(resources)
                .receiveQueue(256, 4 << 20, OverflowPolicy.HOLD)
                .maxHeldOffers(128);
        // end
        UcxBoundServer server = bounded.handle(connection -> connection.activeMessages().receive(7)
                .doOnNext(message -> seen.add(message.data().byteSize())).then()).bindNow();

        connect(server).activeMessages().send(7, new byte[3]).block(TIMEOUT);

        assertThat(next()).isEqualTo(3L);
    }

    @Test
    void receiverReplies() throws InterruptedException {
        UcxBoundServer server = UcxServer.create(resources).handle(connection -> connection.activeMessages().receive(7)
                .concatMap(this::reply).then()).bindNow();
        UcxConnection connection = connect(server);
        var replies = connection.activeMessages().receive(8).subscribe(message -> seen.add(message.length()));

        connection.activeMessages().send(7, new byte[3]).block(TIMEOUT);

        assertThat(next()).isEqualTo(2L);
        replies.dispose();
    }

    private Mono<Void> reply(ActiveMessage message) {
        // snippet: reply
        MemorySegment answer = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_BYTE, (byte) 'o', (byte) 'k');
        Mono<Void> replied = message.reply(8, MemorySegment.NULL, answer);
        // end
        return replied;
    }

    @Test
    void tagsMatchReceives() throws InterruptedException {
        // snippet: tag-receive
        UcxBoundServer server = UcxServer.create(resources)
                .handle(connection -> connection.tags().receiveAll(0x100, ~0xFFL, 64 * 1024)
                        .doOnNext(message -> {
                            store(message);
                            message.dispose();
                        })
                        .then())
                .bindNow();
        // end
        UcxConnection connection = connect(server);

        // snippet: tag-send
        MemorySegment payload = Arena.ofAuto().allocateFrom("hello");
        connection.tags().send(0x101, payload).block();
        connection.tags().sendSync(0x102, payload).block();    // completes when a receive has matched it
        // end

        assertThat(next()).isEqualTo(0x101L);
        assertThat(next()).isEqualTo(0x102L);
    }

    private void store(TaggedBuffer message) {
        seen.add(message.tag());
    }

    @Test
    void bytesArriveInOrder() throws IOException, InterruptedException {
        // snippet: byte-stream
        UcxBoundServer server = UcxServer.create(resources)
                .handle(connection -> connection.streams().receive()
                        .doOnNext(chunk -> {
                            store(chunk);
                            chunk.release();
                        })
                        .then())
                .bindNow();
        UcxConnection connection = connect(server);

        connection.streams().send(Arena.ofAuto().allocate(1000)).block();
        // end

        long bytes = (long) next();
        while (bytes < 1000) {
            bytes += (long) next();
        }
        assertThat(bytes).isEqualTo(1000);
    }
}
