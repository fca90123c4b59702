package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.reactorucx.netty.resources.UcxLoopResources;
import io.reactorucx.testsupport.TestTime;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.netty.DisposableServer;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;
import reactor.netty.resources.ConnectionProvider;
import reactor.netty.resources.LoopResources;

/** What Reactor Netty promises of its loops, of which the loops of UCX take the place. */
@Tag("slow")
@ExtendWith(BufferLeaks.class)
@ParameterizedClass
@ValueSource(booleans = {true, false})
class LoopResourcesTest {

    private static final Duration LIMIT = TestTime.seconds(20);
    private static final String HOST = "127.0.0.1";
    private static final int LOOPS = 4;
    private static final int REQUESTS = 16;

    @Parameter
    private boolean overUcx;

    private LoopResources loops;
    private ConnectionProvider pool;

    @BeforeEach
    void start() {
        loops = overUcx ? UcxLoopResources.create("loops", LOOPS, UcxNettyConfig.DEFAULT)
                : LoopResources.create("loops", LOOPS, true);
        pool = ConnectionProvider.create("pool", REQUESTS);
    }

    @AfterEach
    void end() {
        pool.disposeLater().block(LIMIT);
        if (loops instanceof UcxLoopResources ucx) {
            TestLoops.awaitNoChannels(ucx.factory());
        }
        loops.disposeLater(Duration.ZERO, LIMIT).block(LIMIT);
        assertThat(loops.isDisposed()).isTrue();
        // A second end has nothing to do.
        loops.disposeLater(Duration.ZERO, LIMIT).block(LIMIT);
    }

    private HttpClient client(DisposableServer server) {
        return HttpClient.create(pool).remoteAddress(() -> (InetSocketAddress) server.address()).runOn(loops);
    }

    @Test
    void aHandlerThatBlocksIsRefused() {
        DisposableServer server = HttpServer.create().host(HOST).port(0).runOn(loops)
                .handle((request, response) -> response.sendString(Mono.fromCallable(() -> {
                    assertThat(Schedulers.isInNonBlockingThread()).isTrue();
                    try {
                        return String.valueOf(Mono.never().block(LIMIT));
                    } catch (IllegalStateException refused) {
                        return refused.getMessage();
                    }
                }))).bindNow();

        String answer = client(server).get().responseContent().aggregate().asString().block(LIMIT);

        assertThat(answer).contains("blocking, which is not supported in thread loops-");
        server.disposeNow(LIMIT);
    }

    @Test
    void aSubscriberOfAClientThatBlocksIsRefused() {
        DisposableServer server = HttpServer.create().host(HOST).port(0).runOn(loops)
                .handle((request, response) -> response.send()).bindNow();

        Mono<Integer> blocking = client(server).get().response()
                .map(response -> Mono.just(response.status().code()).hide().block(LIMIT));

        assertThat(blocking.onErrorResume(IllegalStateException.class, error -> Mono.just(-1)).block(LIMIT))
                .isEqualTo(-1);
        server.disposeNow(LIMIT);
    }

    @Test
    void aClientThatAHandlerCallsStaysOnTheHandlersLoop() {
        DisposableServer behind = HttpServer.create().host(HOST).port(0).runOn(loops)
                .handle((request, response) -> response.sendString(Mono.just("."))).bindNow();
        Set<String> moved = ConcurrentHashMap.newKeySet();
        Set<String> served = ConcurrentHashMap.newKeySet();
        DisposableServer front = HttpServer.create().host(HOST).port(0).runOn(loops).handle((request, response) -> {
            String thread = Thread.currentThread().getName();
            served.add(thread);
            return response.sendString(client(behind).doOnConnected(made -> {
                String own = loopOf(made.channel());
                if (!own.equals(thread)) {
                    moved.add(thread + " to " + own);
                }
            }).keepAlive(false).get().responseContent().aggregate().asString());
        }).bindNow();

        Flux.range(0, REQUESTS).flatMap(i -> client(front).keepAlive(false).get().responseContent().aggregate()
                .asString()).blockLast(LIMIT);

        assertThat(served).hasSizeGreaterThan(1);
        assertThat(moved).isEmpty();
        front.disposeNow(LIMIT);
        behind.disposeNow(LIMIT);
    }

    private static String loopOf(Channel channel) {
        assertThat(channel.eventLoop().inEventLoop()).isTrue();
        return Thread.currentThread().getName();
    }

    @Test
    void threadsAreDaemonsWithTheNameOfTheLoops() {
        Set<String> threads = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < LOOPS; i++) {
            loops.onServer(true).next().submit(() -> {
                assertThat(Thread.currentThread().isDaemon()).isTrue();
                threads.add(Thread.currentThread().getName());
            }).syncUninterruptibly();
        }
        assertThat(threads).hasSize(LOOPS).allMatch(name -> name.startsWith("loops-"));
    }
}
