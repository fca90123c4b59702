package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.message.UcxObserver;
import io.reactorucx.message.UcxRequestException;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.testsupport.NoLeaks;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** An exception of the application whose own code throws, as soon as somebody reads its message, is one like others. */
@ExtendWith(NoLeaks.class)
class UnreadableErrorTest implements NeedsUcx {

    private static final UcxResponder FAILING = new UcxResponder() {
        @Override
        public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
            if (request.length() == 0) {
                return Mono.just(request);
            }
            long length = request.length();
            request.release();
            if (length == 1) {
                throw new Unreadable();
            }
            return Mono.<UcxBuffer>error(new Unreadable()).hide();
        }

        @Override
        public Flux<UcxBuffer> requestStream(UcxBuffer request) {
            long length = request.length();
            request.release();
            if (length == 1) {
                throw new Unreadable();
            }
            return Flux.error(new Unreadable());
        }
    };

    private final List<Throwable> errors = new CopyOnWriteArrayList<>();
    private UcxResources resources;

    @BeforeEach
    void open() {
        resources = Route.POSIX_BY_SOCKET_ADDRESS.resources().build();
    }

    @AfterEach
    void close() {
        if (resources != null) {
            resources.disposeNow();
        }
    }

    private UcxServer server() {
        return UcxServer.create(resources).detailedErrors(true)
                .doOnHandlerError((connection, error) -> errors.add(error));
    }

    private UcxConnection connect(UcxServer server) {
        return UcxClient.create(resources).remoteAddress(server.bindNow().address()).connectNow();
    }

    private void endsWith(Publisher<Void> handled) {
        connect(server().handle((UcxConnection connection) -> handled)).onDispose().block(Waits.PATIENCE);

        Waits.soon().untilAsserted(() -> assertThat(errors).hasOnlyElementsOfType(Unreadable.class).hasSize(1));
    }

    @Test
    void handlerThatSignalsItEndsItsConnection() {
        endsWith(Mono.error(new Unreadable()));
    }

    @Test
    void handlerThatThrowsItEndsItsConnection() {
        endsWith(Mono.defer(() -> {
            throw new Unreadable();
        }));
    }

    @Test
    void handlerThatSignalsItAsACauseEndsItsConnection() {
        connect(server().handle((UcxConnection connection) ->
                Mono.error(new IllegalStateException("wrapped", new Unreadable())))).onDispose().block(Waits.PATIENCE);
    }

    @Test
    void responderThatFailsWithItFailsTheRequestAlone() {
        UcxConnection client = connect(server().respond(FAILING));

        for (int length = 1; length <= 2; length++) {
            byte[] request = new byte[length];
            assertThat(Waits.failure(client.requester().requestResponse(request).toFuture()))
                    .isInstanceOf(UcxRequestException.class).hasMessageContaining(Unreadable.class.getName());
            assertThat(Waits.failure(client.requester().requestStream(request).then().toFuture()))
                    .isInstanceOf(UcxRequestException.class).hasMessageContaining(Unreadable.class.getName());
        }
        assertThat(client.requester().requestResponse(new byte[0]).block(Waits.PATIENCE)).isEmpty();
    }

    @Test
    void observerThatThrowsItIsLeftOut() {
        UcxObserver observer = (activity, context, remote) -> new UcxObserver.Span() {
            @Override
            public void end(UcxObserver.Outcome outcome, Throwable error) {
                throw new Unreadable();
            }
        };
        UcxConnection client = connect(server().observe(observer).respond(FAILING));

        assertThat(client.requester().requestResponse(new byte[0]).block(Waits.PATIENCE)).isEmpty();
    }

    private static final class Unreadable extends RuntimeException {

        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("the message of an exception cannot be made");
        }
    }
}
