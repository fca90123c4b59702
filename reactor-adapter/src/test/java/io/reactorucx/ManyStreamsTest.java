package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.internal.message.MessageProtocol;
import io.reactorucx.internal.message.MessageStream;
import io.reactorucx.testsupport.NoLeaks;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Dozens of streams of one connection that end in any order: each message still finds its stream. */
@ExtendWith(NoLeaks.class)
class ManyStreamsTest implements NeedsUcx {

    private static final int STREAMS = 60;
    private static final int ENDED_AT_ONCE = 6;

    private record Pair(String name, MessageStream ours, MessageStream theirs) {
    }

    private final BlockingQueue<MessageStream> accepted = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
    private Peers peers;

    @BeforeEach
    void connect() {
        assumeUcx();
        peers = Peers.connect(Route.TCP_BY_SOCKET_ADDRESS, resources -> resources,
                server -> server.maxStreams(STREAMS), client -> client.maxStreams(STREAMS));
        for (UcxConnection connection : List.of(peers.client(), peers.served())) {
            MessageProtocol protocol = connection.messages();
            protocol.context().execute(() -> protocol.streams().accept((stream, first) -> accepted.add(stream)));
            Waits.engineOf(connection);
        }
    }

    @AfterEach
    void close() {
        if (peers != null) {
            for (UcxResources resources : List.of(peers.clientResources(), peers.serverResources())) {
                await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(
                        resources.messageStatistics().getFirst().openStreams()).as("open streams").isZero());
            }
            peers.close();
        }
    }

    private static Mono<MessageStream> opening(MessageProtocol protocol) {
        return Mono.create(sink -> protocol.context().execute(() -> {
            try {
                sink.success(protocol.streams().open(new byte[0]));
            } catch (RuntimeException e) {
                sink.error(e);
            }
        }));
    }

    private Pair open(UcxConnection by, String name) throws InterruptedException {
        MessageStream ours = Objects.requireNonNull(opening(by.messages()).block(Waits.PATIENCE));
        MessageStream theirs = accepted.poll(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(theirs).as("what the peer has accepted").isNotNull();
        theirs.receive(message -> message.toString(StandardCharsets.UTF_8))
                .subscribe(text -> received.add(name + " " + text));
        return new Pair(name, ours, theirs);
    }

    /** The application cannot open two streams with one id, so each name has to come back exactly once. */
    private void assertEachWorks(List<Pair> open, String text) throws InterruptedException {
        Map<String, Integer> arrived = new HashMap<>();
        for (Pair pair : open) {
            pair.ours().send(Flux.just(text), it -> it.getBytes(StandardCharsets.UTF_8)).block(Waits.PATIENCE);
        }
        for (int i = 0; i < open.size(); i++) {
            arrived.merge(String.valueOf(received.poll(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS)), 1,
                    Integer::sum);
        }
        assertThat(arrived).hasSize(open.size());
        open.forEach(pair -> assertThat(arrived).containsEntry(pair.name() + " " + text, 1));
    }

    @Test
    void messagesFindTheirStreamsWhicheverEndFirst() throws InterruptedException {
        List<Pair> open = new ArrayList<>();
        for (int i = 0; i < STREAMS; i++) {
            open.add(open(i % 2 == 0 ? peers.client() : peers.served(), "stream " + i));
        }
        Collections.shuffle(open, new Random(7));
        for (int round = 0; !open.isEmpty(); round++) {
            assertEachWorks(open, "round " + round);
            List<Pair> ending = open.subList(0, ENDED_AT_ONCE);
            for (Pair pair : ending) {
                pair.ours().complete();
                pair.ours().cancel();
                pair.theirs().complete();
            }
            ending.clear();
        }
    }

    @Test
    void eachStreamEndsWithTheConnection() throws InterruptedException {
        List<Throwable> errors = Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < STREAMS; i++) {
            MessageStream ours = open(peers.client(), "stream " + i).ours();
            ours.receive(message -> message.toString(StandardCharsets.UTF_8)).subscribe(text -> { }, errors::add);
        }
        Waits.engineOf(peers.client());
        peers.served().disposeNow();
        await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(errors).hasSize(STREAMS));
        assertThat(errors).allSatisfy(error -> assertThat(error).isInstanceOf(UcxException.class));
    }
}
