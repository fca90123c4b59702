package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ListenerBadInputTest extends BadInput {

    private final List<UcpConnectionRequest> requests = new ArrayList<>();
    private UcpListener listener;
    private UcpEndpoint connecting;

    @BeforeEach
    void listenAndConnect() {
        listener = pair.server.listen(Pair.local(0), requests::add);
        connecting = pair.client.connect(listener.address(), pair.options(ErrorMode.PEER, "listener"));
        pair.until(() -> !requests.isEmpty(), "a connection request");
    }

    private EndpointOptions options() {
        return pair.options(ErrorMode.PEER, "client");
    }

    @Test
    void refusesSecondAnswerAfterAccept() {
        UcpConnectionRequest request = requests.getFirst();
        pair.server.accept(request, options());
        assertAnswered(request);
        pair.run(connecting::flush);
    }

    @Test
    void refusesSecondAnswerAfterReject() {
        UcpConnectionRequest request = requests.getFirst();
        request.reject();
        assertAnswered(request);
        pair.until(() -> pair.errors.contains(UcxStatus.REJECTED), "a rejection");
    }

    @Test
    void refusesAnswerAfterListenerHasClosed() {
        listener.close();
        listener.close();
        assertThat(listener.isClosed()).isTrue();
        assertAnswered(requests.getFirst());
        pair.until(() -> pair.errors.contains(UcxStatus.REJECTED), "a rejection");
    }

    /** A request that UCX has read but not reported yet has to be found by the close. */
    @Test
    void rejectsRequestThatComesWhileListenerCloses() {
        UcpListener closing = pair.server.listen(Pair.local(0), request -> {
            throw new AssertionError("a request that was handed on");
        });
        // Only a request that UCX's own thread has read wakes the server, which makes no progress until then.
        Pair.until(pair.server::progress, pair.server::arm, "a server without work");
        pair.client.connect(closing.address(), options());
        Pair.until(pair.client::progress, () -> pair.server.await(0), "a sign of the request");
        closing.close();
        assertThat(closing.rejectedRequests()).isOne();
        pair.until(() -> pair.errors.contains(UcxStatus.REJECTED), "a rejection");
    }

    private void assertAnswered(UcpConnectionRequest request) {
        assertThatThrownBy(request::reject).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("answered already");
        assertThatThrownBy(() -> pair.server.accept(request, options())).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("answered already");
    }

    @Test
    void tellsIdOfClientOnlyWhileTheRequestExists() {
        UcpConnectionRequest request = requests.getFirst();
        pair.server.accept(request, options());
        assertThatThrownBy(request::clientId).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("answered already");
        pair.run(connecting::flush);
        pair.client.connect(listener.address(), options());
        pair.until(() -> requests.size() == 2, "a second connection request");
        assertThat(requests.getLast().clientId()).isZero();
        requests.getLast().reject();
        assertThat(requests.getLast().clientId()).isZero();
        pair.until(() -> pair.errors.contains(UcxStatus.REJECTED), "a rejection");
    }

    /** Bytes that a port scanner may send: UCX's frame with contents that UCX does not understand. */
    @Test
    void survivesBytesOfStrangers() throws IOException {
        int frameBytes = 16;
        int dataBytes = 64;
        ByteBuffer frame = ByteBuffer.allocate(frameBytes + dataBytes).order(ByteOrder.nativeOrder());
        Arrays.fill(frame.array(), (byte) 0xff);
        frame.putLong(0, dataBytes).putLong(Long.BYTES, 0);
        try (Socket stranger = new Socket(listener.address().getAddress(), listener.address().getPort())) {
            stranger.getOutputStream().write(frame.array());
            pair.until(() -> requests.size() == 2, "a request of the stranger");
            assertThat(requests.getLast().clientAddress().getPort()).isEqualTo(stranger.getLocalPort());
            requests.getLast().reject();
        }
        pair.server.accept(requests.getFirst(), options());
        pair.run(connecting::flush);
    }

    @Test
    void keepsRequestWhenAnswerIsRefused() {
        UcpConnectionRequest request = requests.getFirst();
        assertThatThrownBy(() -> pair.server.accept(request, null)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("options");
        assertThat(thrownOnAnotherThread(request::reject)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("it belongs to the thread");
        assertThat(thrownOnAnotherThread(listener::close)).isInstanceOf(IllegalStateException.class);
        try (UcpContext other = UcpContext.create(Link.TCP_PEER.config());
                UcpWorker stranger = other.createWorker(UcpWorkerConfig.of("stranger"))) {
            assertThatThrownBy(() -> stranger.accept(request, options())).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("request").hasMessageContaining("another context");
        }
        pair.server.accept(request, options());
        pair.run(connecting::flush);
    }

    @Test
    void keepsRequestWhenHandlerThrows() {
        List<UcpConnectionRequest> failed = new ArrayList<>();
        UcpListener failing = pair.server.listen(Pair.local(0), request -> {
            failed.add(request);
            throw new IllegalStateException("a handler of a test");
        });
        UcpEndpoint endpoint = pair.client.connect(failing.address(), options());
        pair.until(() -> !failed.isEmpty(), "a connection request");
        pair.server.accept(failed.getFirst(), options());
        pair.run(endpoint::flush);
        failing.close();
        assertThat(failing.isClosed()).isTrue();
    }

    /** In C, nothing may be closed within a callback; a handler is not called within one. */
    @Test
    void closesListenerFromItsOwnHandler() {
        List<UcpListener> closing = new ArrayList<>();
        closing.add(pair.server.listen(Pair.local(0), request -> closing.getFirst().close()));
        pair.client.connect(closing.getFirst().address(), options());
        pair.until(() -> pair.errors.contains(UcxStatus.REJECTED), "a rejection");
        assertThat(closing.getFirst().isClosed()).isTrue();
    }

    @Test
    void closesEndpointFromItsErrorHandler() {
        List<Outcome> closes = new ArrayList<>();
        UcpEndpoint failing = pair.client.connect(listener.address(), new EndpointOptions(ErrorMode.PEER, "listener",
                (endpoint, status) -> closes.add(Outcome.of(done -> endpoint.close(CloseMode.FORCE, done)))));
        pair.until(() -> requests.size() == 2, "a second connection request");
        requests.getLast().reject();
        pair.until(() -> !closes.isEmpty() && closes.getFirst().isDone(), "the end of the close");
        assertThat(failing.isClosed()).isTrue();
        assertThat(closes).hasSize(1);
    }

    @Test
    void refusesToCloseWorkerWithOpenListener() {
        UcpWorker worker = pair.context.createWorker(UcpWorkerConfig.of("listening"));
        UcpListener open = worker.listen(Pair.local(0), requests::add);
        assertThatThrownBy(worker::close).isInstanceOf(IllegalStateException.class).hasMessageContaining("1 listeners");
        open.close();
        worker.close();
        assertThat(worker.isClosed()).isTrue();
    }

    @Test
    void endsClientThatGoesAwayBeforeItIsAccepted() {
        pair.run(done -> connecting.close(CloseMode.FORCE, done));
        UcpEndpoint[] accepted = new UcpEndpoint[1];
        try {
            accepted[0] = pair.server.accept(requests.getFirst(), options());
            pair.until(() -> accepted[0].failure() != 0, "an error of the accepted endpoint");
        } catch (UcxException e) {
            assertThat(e.status()).isNotEqualTo(UcxStatus.OK);
        }
    }
}
