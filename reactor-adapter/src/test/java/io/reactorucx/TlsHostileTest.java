package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.security.TlsConfig;
import io.reactorucx.testsupport.TestTime;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** TLS on the control socket with strangers: those who speak something else, and those who change what others say. */
class TlsHostileTest extends SecuredPeers {

    /** With which each control frame begins. */
    private static final String MAGIC = "RUCX";

    /** Another protocol within TLS, or an older version of it. */
    @ParameterizedTest
    @ValueSource(strings = {"h2", "TLSv1.2"})
    void serverRefusesOtherProtocols(String protocol) throws IOException {
        UcxBoundServer server = bind(ofServer());
        boolean version = protocol.startsWith("TLS");
        try (SSLSocket socket = (SSLSocket) OURS.context(CLIENT).getSocketFactory()
                .createSocket(InetAddress.getLoopbackAddress(), server.port())) {
            SSLParameters parameters = socket.getSSLParameters();
            if (version) {
                parameters.setProtocols(new String[] {protocol});
            } else {
                parameters.setApplicationProtocols(new String[] {protocol});
            }
            socket.setSSLParameters(parameters);

            assertThatThrownBy(socket::startHandshake).isInstanceOf(SSLException.class)
                    .hasMessageContaining(version ? "protocol_version" : "no_application_protocol");
        }
        Waits.soon().untilAsserted(() -> assertThat(refusals).hasSize(1));
        assertThat(accepted).isEmpty();
        server.disposeNow();
    }

    @Test
    void clientWithoutAnApplicationProtocolIsRefused() throws IOException {
        UcxBoundServer server = bind(ofServer());
        try (SSLSocket socket = (SSLSocket) OURS.context(CLIENT).getSocketFactory()
                .createSocket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout((int) Waits.PATIENCE.toMillis());
            socket.startHandshake();

            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
        Waits.soon().untilAsserted(() -> assertThat(refusals).singleElement()
                .satisfies(text -> assertThat(text).contains("reactor-ucx/1")));
        server.disposeNow();
    }

    /** What comes in place of TLS costs its own socket. */
    @Test
    void strangersCostTheirSocket() {
        UcxBoundServer server = bind(ofServer());
        byte[] hello = {22, 3, 1, 0, 5, 1, 0, 0, 1, 9};
        List<byte[]> all = List.of("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII), hello,
                new byte[] {22, -1, -1, -1, -1, 0}, new byte[] {21, 3, 3, 0, 2, 2, 40}, new byte[] {23, 3, 3, 0, 0},
                new byte[] {0}, new byte[100_000]);
        for (byte[] each : all) {
            try (SocketPeer stranger = SocketPeer.connect(server.port())) {
                stranger.sendRaw(each);
            }
        }

        assertResponds(to(server).secure(ofClient()).connectNow());
        assertThat(accepted).hasSize(1);
        server.disposeNow();
    }

    @Test
    void clientIsToldThatNoServerOfTlsAnswers() throws IOException {
        try (ServerSocket listening = SocketPeer.listen()) {
            PendingOperation attempt = PendingOperation.of(UcxClient.create(clientResources).secure(ofClient())
                    .remoteAddress("127.0.0.1", listening.getLocalPort()).connect());
            try (SocketPeer other = SocketPeer.accept(listening)) {
                other.sendRaw("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));

                assertThat(attempt.failure()).hasMessageContaining("TLS: on at the client, off at the server");
            }
        }
    }

    /** The same frames, whose first bytes are the protocol's, with and without TLS. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void eavesdropperReadsNoFrame(boolean secured) {
        UcxBoundServer server = (secured ? server().secure(ofServer()) : server()).bindNow();
        try (TamperingProxy proxy = new TamperingProxy(server.port(),
                (ofServer, before, bytes, out) -> out.write(bytes))) {
            UcxClient client = UcxClient.create(clientResources).remoteAddress("127.0.0.1", proxy.port());
            UcxConnection connection = (secured ? client.secure(ofClient()) : client).connectNow();
            assertResponds(connection);
            connection.disposeNow();

            assertThat(proxy.recorded().contains(MAGIC)).isEqualTo(!secured);
            assertThat(proxy.recorded()).hasSizeGreaterThan(500);
        }
        server.disposeNow();
    }

    /** Runs until the server has ended the socket; honest clients connect meanwhile. */
    private void assertEnds(Attack attack) {
        UcxBoundServer server = bind(ofServer());
        CompletableFuture<Void> ended = CompletableFuture.runAsync(() -> {
            try {
                attack.run(server.port());
            } catch (IOException e) {
                // The server has ended the socket.
            }
        });

        assertResponds(to(server).secure(ofClient()).connectNow());
        Waits.get(ended);
        assertResponds(to(server).secure(ofClient()).connectNow());
        server.disposeNow();
    }

    /** Goes on until its socket ends. */
    @FunctionalInterface
    private interface Attack {

        void run(int port) throws IOException;
    }

    /** Each says that the peer has given up (user_canceled), after which TLS goes on. */
    @Test
    void strangerThatSendsWarningsWithoutPauseIsRefused() {
        byte[] warning = {21, 3, 3, 0, 2, 1, 90};
        assertEnds(port -> {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                    OutputStream out = new BufferedOutputStream(socket.getOutputStream())) {
                while (true) {
                    out.write(warning);
                }
            }
        });
    }

    /** It has a certificate, and does not read the answers. */
    @Test
    void clientThatChangesItsKeysWithoutPauseIsRefused() {
        assertEnds(port -> {
            try (SSLSocket socket = (SSLSocket) OURS.context(CLIENT).getSocketFactory()
                    .createSocket(InetAddress.getLoopbackAddress(), port)) {
                SSLParameters parameters = socket.getSSLParameters();
                parameters.setApplicationProtocols(new String[] {"reactor-ucx/1"});
                socket.setSSLParameters(parameters);
                while (true) {
                    // The first one is the handshake; each further one changes the keys.
                    socket.startHandshake();
                }
            }
        });
    }

    /** Each byte on its own, so that every record comes in pieces. */
    @Test
    void bytesMayComeOneByOne() {
        UcxBoundServer server = bind(ofServer());
        try (TamperingProxy proxy = new TamperingProxy(server.port(), (ofServer, before, bytes, out) -> {
            for (byte each : bytes) {
                out.write(each);
                out.flush();
            }
        })) {
            UcxConnection connection = UcxClient.create(clientResources).secure(ofClient())
                    .remoteAddress("127.0.0.1", proxy.port()).connectNow();
            assertResponds(connection);
            connection.disposeNow();
        }
        server.disposeNow();
    }

    /** One honest client has come before the flood, and says nothing until that has gone on; others come amid it. */
    @Test
    void floodFromAnotherAddressKeepsNobodyOut() throws SSLException {
        int limit = 16;
        UcxBoundServer server = server().secure(ofServer()).maxPendingHandshakes(limit).bindNow();
        CompletableFuture<SSLContext> context = new CompletableFuture<>();
        CompletableFuture<UcxConnection> early = to(server).secure(TlsConfig.of(() -> Waits.get(context))).connect()
                .toFuture();
        Waits.soon().until(() -> serverResources.pendingHandshakes() == 1);

        try (SilentFlood flood = new SilentFlood(server.port(), "127.0.0.2", clientHello(), limit + 4)) {
            Waits.soon().until(() -> flood.ended() > 2 * limit);
            context.complete(OURS.context(CLIENT));
            assertResponds(Waits.get(early));
            for (int i = 0; i < 10; i++) {
                assertResponds(to(server).secure(ofClient()).connectNow());
            }
            assertThat(flood.goesOn()).isTrue();
        }
        server.disposeNow();
    }

    private static byte[] clientHello() throws SSLException {
        SSLEngine engine = OURS.context(CLIENT).createSSLEngine();
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setProtocols(new String[] {"TLSv1.3"});
        parameters.setApplicationProtocols(new String[] {"reactor-ucx/1"});
        engine.setSSLParameters(parameters);
        ByteBuffer record = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), record);
        return Arrays.copyOf(record.array(), record.position());
    }

    /** A changed byte: the connection does not come about, or is lost; it never hangs, and the server goes on. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void changedByteEndsTheConnection(boolean changesServers) {
        UcxBoundServer server = bind(ofServer());
        for (long at = 0; at < 1200; at += 79) {
            long changed = at;
            AtomicBoolean done = new AtomicBoolean();
            RecordPayload payload = new RecordPayload();
            try (TamperingProxy proxy = new TamperingProxy(server.port(), (ofServer, before, bytes, out) -> {
                for (int i = 0; ofServer == changesServers && i < bytes.length; i++) {
                    if (payload.has(bytes[i]) && before + i >= changed && done.compareAndSet(false, true)) {
                        bytes[i] ^= 4;
                    }
                }
                out.write(bytes);
            })) {
                Throwable error = Waits.failure(UcxClient.create(clientResources).secure(ofClient())
                        .remoteAddress("127.0.0.1", proxy.port()).connectTimeout(TestTime.seconds(2)).connect()
                        .flatMap(connection -> connection.onTerminate()
                                .then(Mono.error(new IllegalStateException("lost")))).toFuture());

                assertThat(done).as("byte %d was changed", changed).isTrue();
                assertThat(error).as("byte %d", changed).isInstanceOfAny(UcxException.class);
            }
        }
        assertThat(Waits.failure(UcxClient.create(clientResources).remoteAddress("127.0.0.1", server.port()).connect()
                .toFuture())).hasMessageContaining("TLS: off at the client");
        accepted.clear();
        assertResponds(to(server).secure(ofClient()).connectNow());
        server.disposeNow();
    }

    /** Tells what a record carries from its head, of which TLS does not check all. */
    private static final class RecordPayload {

        private static final int HEAD_BYTES = 5;

        private int headBytes;
        private int length;
        private int left;

        boolean has(byte next) {
            if (left > 0) {
                left--;
                return true;
            }
            length = (length << 8 | Byte.toUnsignedInt(next)) & 0xffff;
            headBytes++;
            if (headBytes == HEAD_BYTES) {
                headBytes = 0;
                left = length;
            }
            return false;
        }
    }
}
