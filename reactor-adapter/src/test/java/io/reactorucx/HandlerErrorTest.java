package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.CloseMode;
import io.reactorucx.message.UcxRequestException;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.testsupport.NoLeaks;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

/** Errors of handlers and responders reach the hooks of their side, and the end of a connection does not. */
@ExtendWith(NoLeaks.class)
class HandlerErrorTest implements NeedsUcx {

    private static final UcxResponder FAILING = new UcxResponder() {
        @Override
        public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
            request.release();
            return Mono.error(new IllegalStateException("the responder is ill"));
        }

        @Override
        public Mono<Void> fireAndForget(UcxBuffer request) {
            request.release();
            throw new IllegalStateException("the receiver is ill");
        }
    };

    private final List<String> errors = new CopyOnWriteArrayList<>();
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
        UcxBoundServer server = settings.apply(UcxServer.create(resources)
                .doOnHandlerError((connection, error) -> errors.add("server: " + error.getMessage()))).bindNow();
        return UcxClient.create(clientResources)
                .doOnHandlerError((connection, error) -> errors.add("client: " + error.getMessage()))
                .remoteAddress("127.0.0.1", server.port()).connectNow();
    }

    @Test
    void errorsOfAServersResponderReachItsHook() {
        UcxConnection client = connect(server -> server.respond(FAILING));

        assertThat(Waits.failure(client.requester().requestResponse(new byte[1]).toFuture()))
                .isInstanceOf(UcxRequestException.class);
        Waits.soon().untilAsserted(() -> assertThat(errors).containsExactly("server: the responder is ill"));
        client.requester().fireAndForget(new byte[1]).block(Waits.PATIENCE);
        Waits.soon().untilAsserted(() -> assertThat(errors).containsExactly("server: the responder is ill",
                "server: the receiver is ill"));
    }

    @Test
    void errorsOfAClientsResponderReachItsHook() {
        UcxConnection client = connect(server -> server.handle(connection -> connection.activeMessages().receive(1)
                .flatMap(message -> connection.requester().requestResponse(new byte[1]).onErrorComplete()).then()));
        client.respond(FAILING).subscribe();

        client.activeMessages().send(1, new byte[0]).block(Waits.PATIENCE);

        Waits.soon().untilAsserted(() -> assertThat(errors).containsExactly("client: the responder is ill"));
    }

    @Test
    void errorOfAHandlerReachesTheHooksInTheirOrder() {
        UcxConnection client = connect(server -> server
                .doOnHandlerError((connection, error) -> {
                    errors.add("second");
                    throw new IllegalStateException("the hook is ill");
                })
                .handle(connection -> Mono.error(new IllegalStateException("the handler is ill"))));

        client.onDispose().block(Waits.PATIENCE);

        assertThat(errors).containsExactly("server: the handler is ill", "second");
    }

    @Test
    void lossOfTheConnectionIsNoErrorOfAHandler() {
        List<Throwable> ends = new CopyOnWriteArrayList<>();
        UcxConnection client = connect(server -> server.handle(connection -> connection.inbound().receive().then()
                .doOnError(ends::add)));

        client.close(CloseMode.FORCE).block(Waits.PATIENCE);

        Waits.soon().untilAsserted(() -> assertThat(ends).hasSize(1));
        assertThat(errors).isEmpty();
    }
}
