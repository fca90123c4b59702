package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.CloseMode;
import io.reactorucx.message.UcxRequestException;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.testsupport.NoLeaks;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

/** Errors of handlers and responders reach the hooks of their side, and the end of a connection does not. */
@Tag("slow")
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

    /** Where the application's code throws. */
    enum Place { HANDLER, PUBLISHER_OF_HANDLER, ERROR_OF_HANDLER, OPERATOR_OF_HANDLER, CONNECTION_HOOK, OBSERVED }

    private UcxServer throwing(UcxServer server, Place place, Supplier<Error> thrown) {
        return switch (place) {
            case HANDLER -> server.handle(connection -> {
                throw thrown.get();
            });
            case PUBLISHER_OF_HANDLER -> server.handle(connection -> Mono.defer(() -> {
                throw thrown.get();
            }));
            case ERROR_OF_HANDLER -> server.handle(connection -> Mono.error(thrown.get()));
            case OPERATOR_OF_HANDLER -> server.handle(connection -> connection.inbound().receive().doOnNext(message -> {
                message.release();
                throw thrown.get();
            }).then());
            case CONNECTION_HOOK -> server.doOnConnection(connection -> {
                throw thrown.get();
            }).handle(connection -> Mono.never());
            case OBSERVED -> server.observe((activity, context, remote) -> {
                throw thrown.get();
            }).handle(connection -> Mono.error(thrown.get()));
        };
    }

    static Stream<Arguments> places() {
        return Stream.of(Place.values()).flatMap(place -> Stream.of(JvmError.values())
                .map(error -> Arguments.of(place, error)));
    }

    @ParameterizedTest
    @MethodSource("places")
    void errorsOfTheJvmEndTheConnectionAndFreeItsPlace(Place place, JvmError error) {
        UcxBoundServer server = throwing(UcxServer.create(resources).maxConnections(1), place, error::make)
                .doOnHandlerError((connection, failure) -> {
                    errors.add(failure.getClass().getSimpleName());
                    throw error.make();
                }).bindNow();
        UcxClient client = UcxClient.create(clientResources).remoteAddress("127.0.0.1", server.port());

        for (int i = 0; i < 2; i++) {
            Waits.soon().ignoreExceptions().untilAsserted(() -> {
                UcxConnection connection = client.connectNow();
                connection.outbound().sendByteArrays(Mono.just(new byte[1])).onErrorComplete().block(Waits.PATIENCE);
                connection.onDispose().block(Waits.PATIENCE);
            });
        }
        if (place != Place.CONNECTION_HOOK) {
            assertThat(errors).contains(error.make().getClass().getSimpleName());
        }
        Waits.soon().untilAsserted(() -> assertThat(resources.openConnections()).isZero());
    }

    @ParameterizedTest
    @CsvSource({"MISSING_CLASS, true, true", "MISSING_CLASS, true, false", "MISSING_CLASS, false, true",
        "MISSING_CLASS, false, false", "STACK_OVERFLOW, true, true", "STACK_OVERFLOW, true, false",
        "STACK_OVERFLOW, false, true", "STACK_OVERFLOW, false, false"})
    void errorsOfTheJvmFailTheRequest(JvmError error, boolean deferred, boolean observed) {
        UcxConnection client = connect(server -> (observed ? server.observe((activity, context, remote) -> {
            throw error.make();
        }) : server).respond(new UcxResponder() {
            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                request.release();
                if (deferred) {
                    return Mono.defer(() -> {
                        throw error.make();
                    });
                }
                throw error.make();
            }
        }));

        assertThat(Waits.failure(client.requester().requestResponse(new byte[1]).toFuture()))
                .isInstanceOf(UcxRequestException.class);
        Waits.soon().untilAsserted(() -> assertThat(errors).containsExactly("server: " + error.make().getMessage()));
        assertThat(client.isDisposed()).isFalse();
    }

    /** Errors that Reactor throws at its caller. */
    enum JvmError {
        MISSING_CLASS, STACK_OVERFLOW;

        Error make() {
            return this == MISSING_CLASS ? new NoClassDefFoundError("planted") : new StackOverflowError("planted");
        }
    }
}
