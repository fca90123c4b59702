package io.reactorucx.rsocket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.UcxClient;
import io.reactorucx.UcxServer;
import io.reactorucx.testsupport.NoLeaks;
import io.rsocket.Payload;
import io.rsocket.RSocket;
import io.rsocket.core.RSocketConnector;
import io.rsocket.lease.Lease;
import io.rsocket.lease.MissingLeaseException;
import io.rsocket.util.DefaultPayload;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

/** RSocket's leases: the responder decides how many requests it takes. */
@ExtendWith(NoLeaks.class)
class LeaseTest {

    private static final Duration VALID = Duration.ofMinutes(1);

    private static Mono<String> ask(RSocket socket, String text) {
        return socket.requestResponse(DefaultPayload.create(text)).map(Payload::getDataUtf8);
    }

    @Test
    void requestsAreRefusedWithoutALeaseAndTakenWithOne() {
        Sinks.Many<Lease> leases = Sinks.many().replay().all();
        try (TestResources resources = new TestResources("posix");
                TestService service = TestService.start(UcxServer.create(resources.server()), server ->
                        server.lease(spec -> spec.sender(leases::asFlux)))) {
            RSocket socket = RSocketConnector.create().lease(spec -> spec.maxPendingRequests(0))
                    .connect(UcxClientTransport.create(UcxClient.create(resources.client())
                            .remoteAddress(TestResources.HOST, service.port()))).block(TestResources.LIMIT);
            StepVerifier.create(ask(socket, "too early")).expectError(MissingLeaseException.class)
                    .verify(TestResources.LIMIT);

            leases.tryEmitNext(Lease.create(VALID, 2)).orThrow();
            await().atMost(TestResources.LIMIT).until(() -> socket.availability() > 0);
            assertThat(ask(socket, "first").block(TestResources.LIMIT)).isEqualTo("first");
            assertThat(ask(socket, "second").block(TestResources.LIMIT)).isEqualTo("second");
            StepVerifier.create(ask(socket, "third")).expectError(MissingLeaseException.class)
                    .verify(TestResources.LIMIT);
            socket.dispose();
            socket.onClose().onErrorComplete().block(TestResources.LIMIT);
            resources.awaitNothingLeft();
        }
    }
}
