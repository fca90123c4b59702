package io.reactorucx.examples.store.load;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;

/** Which errors of HTTP say that a request may be repeated. */
class LoadMakerTest {

    private static final Duration LIMIT = TestTime.seconds(20);

    @ParameterizedTest
    @CsvSource(quoteCharacter = '"', textBlock = """
            # what a server sends before it closes the connection, retryable
            "", true
            "HTTP/1.1 200 OK|Content-Le", true
            "HTTP/1.1 200 OK|Content-Length: 9||some", true
            "HTTP/1.1 200 OK|Transfer-Encoding: chunked||4|some|", true
            "HTTP/1.1 503 Service Unavailable|Content-Length: 0||", true
            "HTTP/1.1 500 Internal Server Error|Content-Length: 0||", false
            "HTTP/1.1 400 Bad Request|Content-Length: 0||", false
            """)
    void anAnswerThatIsBrokenOffMayBeRepeated(String sent, boolean retryable) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> answer(server, sent.replace("|", "\r\n")));

            Throwable error = WebClient.create("http://127.0.0.1:" + server.getLocalPort()).get().uri("/keys/a")
                    .exchangeToMono(response -> response.statusCode().value() == 200
                            ? response.bodyToMono(byte[].class) : response.createError())
                    .then(Mono.<Throwable>empty()).onErrorResume(Mono::just).block(LIMIT);

            assertThat(error).isNotNull();
            assertThat(LoadMaker.isRetryable(error)).as(error.toString()).isEqualTo(retryable);
        }
    }

    /** Answers each connection, since a client may try a second one. */
    private static void answer(ServerSocket server, String sent) {
        try {
            while (!server.isClosed()) {
                try (Socket client = server.accept(); InputStream in = client.getInputStream();
                        OutputStream out = client.getOutputStream()) {
                    byte[] request = new byte[4096];
                    int length = 0;
                    while (!new String(request, 0, length, US_ASCII).endsWith("\r\n\r\n")) {
                        int read = in.read(request, length, request.length - length);
                        if (read < 0) {
                            break;
                        }
                        length += read;
                    }
                    out.write(sent.getBytes(US_ASCII));
                }
            }
        } catch (IOException e) {
            if (!server.isClosed()) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
