package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.application.LeakingApplication;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.memory.UcxMemoryWindow;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.LeakDetection;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The report of a leaked lease that the library has filled says what it held, of which peer, and for whom. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class LeakedReceiveTest implements NeedsUcx {

    private static final int ID = 15;
    private static final int SMALL = 100;
    private static final int LARGE = 70_000;
    private static final String RESPONDER = LeakingApplication.Responder.class.getName();

    private final LeakLog told = new LeakLog();
    private final Disposable.Composite receiving = Disposables.composite();
    private Peers peers;
    private UcxConnection client;
    private UcxConnection served;

    private void connect(LeakDetection level) {
        peers = Peers.connect(Route.TCP_BY_SOCKET_ADDRESS, builder -> told.by(builder, level), UnaryOperator.identity(),
                UnaryOperator.identity());
        client = peers.client();
        served = peers.served();
    }

    @AfterEach
    void close() {
        receiving.dispose();
        if (peers != null) {
            client.close().block(Waits.PATIENCE);
            peers.close();
        }
    }

    private List<String> reports(int count) {
        await().atMost(Waits.PATIENCE).untilAsserted(() -> {
            System.gc();
            assertThat(told.leaks()).hasSizeGreaterThanOrEqualTo(count);
        });
        return told.leaks().stream().map(LeakLog.Leak::text).toList();
    }

    /** Each lease was one of the application, which has asked for it in a method. */
    private void assertReported(int count, String what, UcxConnection receiver, String method) {
        assertThat(reports(count)).hasSize(count).allSatisfy(text -> assertThat(text)
                .contains("It held " + what + " [" + receiver.peer() + "] for ", "map", ", asked for at "
                + LeakingApplication.class.getName() + "." + method + "(LeakingApplication.java:")
                .doesNotContain("agrona", "tells the place", "allocated"));
        assertThat(told.leaks()).allSatisfy(leak -> assertThat(leak.place()).isNotNull());
    }

    @Test
    void messagesNameTheirReceive() {
        connect(LeakDetection.ADVANCED);
        receiving.add(LeakingApplication.dropInbound(served));
        // The last one waits for the data of the second.
        client.outbound().sendByteArrays(Flux.just(new byte[SMALL], new byte[LARGE], new byte[SMALL]))
                .block(Waits.PATIENCE);
        assertReported(3, "a message of inbound() from", served, "dropInbound");
    }

    @ParameterizedTest
    @ValueSource(ints = {SMALL, LARGE})
    void requestsNameTheResponderAndResponsesTheirRequest(int bytes) {
        connect(LeakDetection.ADVANCED);
        receiving.add(served.respond(new LeakingApplication.Responder(peers.serverResources().buffers())).subscribe());
        Waits.engineOf(served);
        LeakingApplication.dropResponse(client, bytes).block(Waits.PATIENCE);
        assertExchange("dropResponse", 1);
        LeakingApplication.dropResponses(client, bytes).block(Waits.PATIENCE);
        assertExchange("dropResponses", 2);
        LeakingApplication.dropChannel(client, bytes).block(Waits.PATIENCE);
        assertExchange("dropChannel", 3);
    }

    private void assertExchange(String method, int exchanges) {
        List<String> reports = reports(2 * exchanges);
        assertThat(reports).hasSize(2 * exchanges);
        List<String> latest = reports.subList(2 * exchanges - 2, 2 * exchanges);
        assertThat(latest).anySatisfy(text -> assertThat(text)
                .contains("It held a request from [" + served.peer() + "] for " + RESPONDER)
                .doesNotContain("agrona", "tells the place", "allocated"))
                .anySatisfy(text -> assertThat(text).contains("It held a response from [" + client.peer() + "]",
                ", asked for at " + LeakingApplication.class.getName() + "." + method + "(")
                .doesNotContain("agrona", "tells the place", "allocated"));
    }

    @Test
    void taggedMessagesNameTheirReceive() {
        connect(LeakDetection.ADVANCED);
        Disposable tagged = LeakingApplication.dropTagged(served, ID, SMALL);
        receiving.add(tagged);
        for (int i = 0; i < 3; i++) {
            client.tags().send(ID, Bytes.pattern(1, SMALL)).block(Waits.PATIENCE);
        }
        assertReported(3, "a tagged message for the connection to", served, "dropTagged");
    }

    @ParameterizedTest
    @ValueSource(ints = {SMALL, LARGE})
    void fetchesNameTheirCall(int bytes) {
        connect(LeakDetection.ADVANCED);
        receiving.add(LeakingApplication.dropFetched(served, ID));
        Waits.engineOf(served);
        for (int i = 0; i < 2; i++) {
            client.activeMessages().send(ID, MemorySegment.NULL, Bytes.pattern(1, bytes),
                    bytes == LARGE ? AmProtocol.RENDEZVOUS : AmProtocol.EAGER).block(Waits.PATIENCE);
        }
        assertThat(reports(2)).hasSize(2).allSatisfy(text -> assertThat(text)
                .contains("It held the data of an active message from [" + served.peer() + "]",
                ", asked for at " + LeakingApplication.class.getName() + ".")
                .doesNotContain("agrona", "tells the place", "allocated"));
    }

    @Test
    void partsOfTheByteStreamNameTheirReceive() {
        connect(LeakDetection.ADVANCED);
        receiving.add(LeakingApplication.dropStream(served));
        client.streams().send(Bytes.pattern(1, SMALL)).block(Waits.PATIENCE);
        assertReported(1, "a part of the byte stream of", served, "dropStream");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void readsOfMemoryNameTheirCall(boolean oneSided) {
        connect(LeakDetection.ADVANCED);
        UcpMemory registered = peers.serverResources().registerMemory(Bytes.pattern(1, 3 * SMALL));
        UcxMemoryWindow window = peers.serverResources().exportMemory(registered, Set.of(MemoryRight.READ));
        RemoteMemory memory = oneSided ? client.memory(registered.descriptor()) : client.memory(window.descriptor());
        LeakingApplication.dropRead(memory, SMALL).block(Waits.PATIENCE);
        assertReported(3, "a part of the memory of", client, "dropRead");
        memory.close();
        window.revoke().block(Waits.PATIENCE);
        Waits.engineOf(client);
        registered.close();
    }

    /** Keeps the requests that it gets. */
    private static final class Keeper implements UcxResponder {

        private final List<UcxBuffer> requests = new CopyOnWriteArrayList<>();

        @Override
        public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
            requests.add(request);
            return Mono.just(request.slice(0, 1));
        }
    }

    @Test
    void reportWithoutPlacesNamesTheReceiverToo() {
        connect(LeakDetection.SIMPLE);
        Keeper keeper = new Keeper();
        receiving.add(served.respond(keeper).subscribe());
        Waits.engineOf(served);
        List<UcxBuffer> responses = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            responses.add(client.requester().requestResponse(leaseOf(SMALL)).filter(response -> true)
                    .block(Waits.PATIENCE));
        }
        int watched = LeakLog.releaseAllButWatched(responses);
        int watchedRequests = LeakLog.releaseAllButWatched(keeper.requests);
        assertThat(watched).isPositive();
        assertThat(watchedRequests).isPositive();
        responses.clear();
        keeper.requests.clear();
        LeakLog.awaitLeased(peers.clientResources().buffers(), 0);
        LeakLog.awaitLeased(peers.serverResources().buffers(), 0);

        await().atMost(Waits.PATIENCE).until(() -> told.leaks().stream().map(LeakLog.Leak::text)
                .anyMatch(text -> text.contains("It held a request from [" + served.peer() + "] for "
                + Keeper.class.getName() + ". -Dreactorucx.leakDetection=advanced tells the place")));
        assertThat(told.leaks()).extracting(LeakLog.Leak::text)
                .anySatisfy(text -> assertThat(text).contains("It held a response from [" + client.peer() + "] for ",
                "filter", ". -Dreactorucx.leakDetection=advanced tells the place"));
    }

    private UcxBuffer leaseOf(int bytes) {
        return peers.clientResources().buffers().acquire(bytes);
    }

    /** A message and a response that the peer sends in one batch are parts of one lease. */
    @Test
    void memoryThatReceiversShareNamesThemAll() {
        connect(LeakDetection.ADVANCED);
        receiving.add(LeakingApplication.dropInbound(client));
        receiving.add(served.respond(new UcxResponder() {
            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                served.outbound().sendByteArrays(Flux.just(new byte[SMALL])).subscribe();
                return Mono.just(request);
            }
        }).subscribe());
        served.outbound().sendByteArrays(Mono.just(new byte[SMALL])).block(Waits.PATIENCE);
        assertReported(1, "a message of inbound() from", client, "dropInbound");
        LeakingApplication.dropResponse(client, SMALL).block(Waits.PATIENCE);

        assertThat(reports(2)).hasSize(2).last().asString().contains(
                "It held messages that not all of their receivers have released: a message of inbound() from ["
                + client.peer() + "] for ", "; a response from [" + client.peer() + "] for ",
                LeakingApplication.class.getName() + ".dropInbound(", LeakingApplication.class.getName()
                + ".dropResponse(");
    }
}
