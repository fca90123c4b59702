package io.reactorucx;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.message.UcxRequestException;
import io.reactorucx.message.UcxRequestException.Reason;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.testsupport.NoLeaks;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A server that responds to requests and handles connections. */
@ExtendWith(NoLeaks.class)
class RespondAndHandleTest implements NeedsUcx {

    private static final UcxResponder ECHO = new UcxResponder() {
        @Override
        public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
            return Mono.just(request);
        }
    };

    private UcxResources resources;
    private UcxResources clientResources;

    @BeforeEach
    void open() {
        resources = Route.POSIX_BY_SOCKET_ADDRESS.resources().build();
        clientResources = Route.POSIX_BY_SOCKET_ADDRESS.resources().build();
    }

    @AfterEach
    void close() {
        if (resources != null) {
            clientResources.disposeNow();
            resources.disposeNow();
        }
    }

    private UcxConnection connect(UnaryOperator<UcxServer> settings) {
        UcxBoundServer server = settings.apply(UcxServer.create(resources)).bindNow();
        return UcxClient.create(clientResources).remoteAddress("127.0.0.1", server.port()).connectNow();
    }

    private static String ask(UcxConnection client) {
        return new String(client.requester().requestResponse("question".getBytes(UTF_8)).block(Waits.PATIENCE), UTF_8);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void bothWorkInEitherOrder(boolean respondFirst) {
        UnaryOperator<UcxServer> respond = server -> server.respond(ECHO);
        UnaryOperator<UcxServer> handle = server -> server.handle((in, out) -> out.send(in.receive()));
        UcxConnection client = connect(server -> respondFirst ? handle.apply(respond.apply(server))
                : respond.apply(handle.apply(server)));
        CompletableFuture<String> echoed = new CompletableFuture<>();
        // Not next(), whose cancel would end the handler's send.
        client.inbound().receiveStrings().subscribe(echoed::complete);

        client.outbound().sendStrings(Flux.just("message")).block(Waits.PATIENCE);

        assertThat(Waits.get(echoed)).isEqualTo("message");
        assertThat(ask(client)).isEqualTo("question");
    }

    @Test
    void endOfTheHandlerEndsTheConnection() {
        UcxConnection client = connect(server -> server.respond(ECHO).handle(connection -> connection.activeMessages()
                .receive(1).next().then()));
        assertThat(ask(client)).isEqualTo("question");

        client.activeMessages().send(1, new byte[0]).block(Waits.PATIENCE);

        client.onTerminate().block(Waits.PATIENCE);
    }

    @Test
    void secondResponderOfAConnectionIsRefused() {
        CompletableFuture<Throwable> refused = new CompletableFuture<>();
        UcxConnection client = connect(server -> server.respond(ECHO).handle(connection -> connection.respond(ECHO)
                .doOnError(refused::complete).onErrorComplete().then(connection.onClosing())));

        assertThat(Waits.get(refused)).isInstanceOf(IllegalStateException.class)
                .hasMessage("respond: this connection has a responder already");
        assertThat(ask(client)).isEqualTo("question");
    }

    @Test
    void serverWithoutAResponderSaysSo() {
        UcxConnection client = connect(server -> server.handle((in, out) -> in.receive().then()));

        assertThat(Waits.failure(client.requester().requestResponse(new byte[1]).toFuture()))
                .isInstanceOfSatisfying(UcxRequestException.class, refused ->
                    assertThat(refused.reason()).isEqualTo(Reason.REFUSED))
                .hasMessage("this server answers no requests: UcxServer.respond(..)");
    }

    @Test
    void clientWithoutAResponderSaysSo() {
        CompletableFuture<Throwable> refused = new CompletableFuture<>();
        connect(server -> server.handle(connection -> connection.requester().requestResponse(new byte[1])
                .doOnError(refused::complete).onErrorComplete().then()));

        assertThat(Waits.get(refused)).isInstanceOf(UcxRequestException.class)
                .hasMessage("this client answers no requests: UcxConnection.respond(..)");
    }
}
