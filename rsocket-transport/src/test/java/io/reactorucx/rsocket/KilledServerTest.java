package io.reactorucx.rsocket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.UcxClient;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.NoLeaks;
import io.rsocket.Payload;
import io.rsocket.RSocket;
import io.rsocket.core.RSocketConnector;
import io.rsocket.util.DefaultPayload;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** The server's process is killed while requests of each kind wait for it. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class KilledServerTest {

    private static final int REQUESTS = 10;

    @ParameterizedTest
    @ValueSource(strings = {"posix,tcp", "tcp"})
    void everyRequestEndsWithTheLoss(String transports) {
        try (TestResources resources = new TestResources(transports);
                ChildJvm server = ChildJvm.of(ServiceProcess.class).options("-Xmx128m").arguments(transports).start()) {
            int port = Integer.parseInt(server.awaitLine(ServiceProcess.PORT).substring(ServiceProcess.PORT.length()));
            RSocket socket = RSocketConnector.connectWith(UcxClientTransport.create(UcxClient
                    .create(resources.client()).remoteAddress(TestResources.HOST, port))).block(TestResources.LIMIT);
            assertThat(socket.requestResponse(DefaultPayload.create("hello")).map(Payload::getDataUtf8)
                    .block(TestResources.LIMIT)).isEqualTo("hello");

            AtomicInteger answers = new AtomicInteger();
            List<StepVerifier> waiting = new ArrayList<>();
            for (int i = 0; i < REQUESTS; i++) {
                waiting.add(lost(socket.requestResponse(DefaultPayload.create(TestService.NEVER)), 0));
                waiting.add(lost(socket.requestStream(DefaultPayload.create("1000"))
                        .doOnNext(answer -> answers.incrementAndGet()), 1));
                waiting.add(lost(socket.requestChannel(Flux.just(DefaultPayload.create("one"))
                        .concatWith(Flux.never())).doOnNext(answer -> answers.incrementAndGet()), 1));
            }
            await().atMost(TestResources.LIMIT).until(() -> answers.get() == 2 * REQUESTS);
            server.signal("KILL");
            waiting.forEach(each -> each.verify(TestResources.LIMIT));
            StepVerifier.create(socket.onClose().onErrorComplete()).expectComplete().verify(TestResources.LIMIT);
            StepVerifier.create(socket.requestResponse(DefaultPayload.create("late"))).expectErrorSatisfies(error ->
                    assertThat(error).isInstanceOf(UcxClosedChannelException.class).cause()
                            .isInstanceOfSatisfying(UcxException.class, lost ->
                            assertThat(lost.isConnectionLost()).isTrue())).verify(TestResources.LIMIT);
            resources.awaitNothingLeft();
        }
    }

    /** Takes some signals, and then waits for the error, which RSocket gives to requests of a closed connection. */
    private static StepVerifier lost(Publisher<?> answers, int taken) {
        return StepVerifier.create(answers, taken == 0 ? 1 : taken).expectNextCount(taken)
                .expectError(ClosedChannelException.class).verifyLater();
    }
}
