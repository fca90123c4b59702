package io.reactorucx.examples.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactorucx.examples.boot.load.ApplicationProcess;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.BodyInserters;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientException;
import org.springframework.web.reactive.function.client.WebClientRequestException;

/** The application as a process of its own, with clients in this one. */
@Tag("slow")
@ParameterizedClass
@EnumSource(Transport.class)
class SecondProcessTest {

    private static final int BODY_BYTES = 32 << 20;
    private static final int TERMINATED = 143;
    private static final Duration LIMIT = Application.LIMIT;

    @Parameter
    private Transport transport;

    private ApplicationProcess server;
    private Application clients;
    private WebClient client;

    @BeforeEach
    void start() {
        // It lives for seconds, in which the optimizing compiler costs more than it brings.
        server = ApplicationProcess.start(transport == Transport.UCX, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
        clients = Application.clients(transport);
        client = clients.webClient(server.awaitPort());
    }

    @AfterEach
    void end() {
        server.close();
        clients.close();
    }

    private Greeting get() {
        return client.get().uri("/greetings/Anna").retrieve().bodyToMono(Greeting.class).block(LIMIT);
    }

    @Test
    void servesLargeBodiesAndFinishesItsRequestsWhenItIsTerminated() {
        assertThat(get()).isEqualTo(Greeting.of("Anna"));
        Content body = new Content(BODY_BYTES);
        assertThat(client.post().uri("/echo").contentType(MediaType.APPLICATION_OCTET_STREAM)
                .body(BodyInserters.fromDataBuffers(body.parts()))
                .exchangeToMono(response -> body.check(response.bodyToFlux(DataBuffer.class))).block(LIMIT))
                .isEqualTo(BODY_BYTES);
        clients.assertTransport(BODY_BYTES, false);
        HeldRequest held = new HeldRequest(client);
        held.awaitFirstPart();
        int port = server.awaitPort();

        server.terminate();
        await().atMost(LIMIT).until(() -> GracefulShutdownTest.refusesConnections(port));
        assertThat(server.isAlive()).isTrue();
        held.finish();

        assertThat(held.response()).isEqualTo(HeldRequest.BODY);
        assertThat(server.awaitExit()).isEqualTo(TERMINATED);
    }

    @Test
    void aKilledServerFailsItsRequestsWithAClearException() {
        HeldRequest held = new HeldRequest(client);
        held.awaitFirstPart();
        clients.assertTransport(1, false);

        server.kill();

        await().atMost(LIMIT).until(held.future()::isDone);
        assertThat(held.future()).isCompletedExceptionally();
        Throwable failure = held.future().exceptionNow();
        assertThat(failure).isInstanceOf(WebClientException.class).hasCauseInstanceOf(IOException.class)
                .hasMessageContaining("Connection");
        assertThatThrownBy(this::get).isInstanceOf(WebClientRequestException.class)
                .hasCauseInstanceOf(ConnectException.class).hasMessageContaining("Connection refused");
    }
}
