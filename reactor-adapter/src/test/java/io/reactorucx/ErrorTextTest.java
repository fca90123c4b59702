package io.reactorucx;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.message.UcxRequestException;
import io.reactorucx.message.UcxRequestException.Reason;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.testsupport.NoLeaks;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The peer gets what an application has written for it, and no text of any other error. */
@ExtendWith(NoLeaks.class)
class ErrorTextTest implements NeedsUcx {

    private static final String SECRET = "no connection to jdbc:postgresql://admin:pw@10.0.0.7";

    private final List<String> heard = new CopyOnWriteArrayList<>();
    private UcxResources resources;
    private UcxResources clientResources;

    @BeforeEach
    void open() {
        assumeUcx();
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

    /** Fails with what it was made with. */
    private static final class Failing implements UcxResponder {

        private final RuntimeException error;

        Failing(RuntimeException error) {
            this.error = error;
        }

        @Override
        public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
            request.release();
            return Mono.error(error);
        }

        @Override
        public Flux<UcxBuffer> requestStream(UcxBuffer request) {
            request.release();
            return Flux.error(error);
        }
    }

    private UcxRequester requester(RuntimeException error, boolean detailed) {
        UcxBoundServer server = UcxServer.create(resources).respond(new Failing(error)).detailedErrors(detailed)
                .doOnHandlerError((connection, failure) -> heard.add(String.valueOf(failure.getMessage()))).bindNow();
        return UcxClient.create(clientResources).detailedErrors(detailed).remoteAddress("127.0.0.1", server.port())
                .connectNow().requester();
    }

    private static UcxRequestException failure(Mono<?> answer) {
        Throwable failure = Waits.failure(answer.toFuture());
        assertThat(failure).isInstanceOf(UcxRequestException.class);
        return (UcxRequestException) failure;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void textOfAnyErrorStaysHereUnlessAskedFor(boolean detailed) {
        UcxRequester requester = requester(new IllegalStateException(SECRET), detailed);

        for (UcxRequestException each : List.of(failure(requester.requestResponse("?".getBytes(UTF_8))),
                failure(requester.requestStream("?".getBytes(UTF_8)).then()))) {
            assertThat(each.reason()).isEqualTo(Reason.APPLICATION);
            assertThat(each.code()).isZero();
            assertThat(each.getMessage()).isEqualTo(detailed ? SECRET : "the peer's application failed");
        }
        assertThat(heard).as("doOnHandlerError").containsExactly(SECRET, SECRET);
    }

    @Test
    void codeAndTextOfAnErrorForThePeerTravel() {
        UcxRequester requester = requester(new UcxRequestException(4711, "out of coffee"), false);

        UcxRequestException failed = failure(requester.requestResponse("?".getBytes(UTF_8)));

        assertThat(failed.reason()).isEqualTo(Reason.APPLICATION);
        assertThat(failed.code()).isEqualTo(4711);
        assertThat(failed).hasMessage("out of coffee");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE, UcxRequestException.MAX_CODE + 1})
    void codeHasARange(int code) {
        assertThatThrownBy(() -> new UcxRequestException(code, "?")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("code " + code).hasMessageContaining("1..1073741824");
    }
}
