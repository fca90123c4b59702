package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.testsupport.ChildProcess;
import io.reactorucx.testsupport.NoLeaks;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * UCX's example {@code ucp_client_server}: its client with our server, its server with our client. It connects by socket address, sends the
 * same text a number of times, and closes by force, whoever it is.
 */
@ExtendWith(NoLeaks.class)
class ClientServerExampleTest implements NeedsUcx {

    private static final long TAG = 0xCAFE;
    private static final int AM_ID = 0;
    private static final String SUCCESS = "----- UCP TEST SUCCESS";
    private static final String WAITING = "Waiting for connection";

    private CExample example;

    @BeforeEach
    void compile(@TempDir Path folder) throws IOException {
        example = CExample.compile("ucp_client_server", folder);
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '"', value = {"all, 16, 1", "tcp, 16, 100", "tcp, 1000000, 3", "\"posix,tcp\", 16, 100",
        "\"posix,tcp\", 1000000, 3"})
    void serverReceivesOurTaggedMessages(String transports, int size, int messages) {
        assertServerReceives(transports, "tag", size, messages, (connection, payload) -> connection.tags().send(TAG, payload));
    }

    /** The example has room for one eager message at a time, but waits for as many rendezvous as it is told. */
    @ParameterizedTest
    @CsvSource(quoteCharacter = '"', value = {"all, 16, 1, AUTO", "tcp, 16, 10, RENDEZVOUS", "tcp, 1000000, 3, AUTO", "tcp, 1000000, 1, EAGER",
        "\"posix,tcp\", 16, 10, RENDEZVOUS", "\"posix,tcp\", 1000000, 3, AUTO", "\"posix,tcp\", 1000000, 1, EAGER"})
    void serverReceivesOurActiveMessages(String transports, int size, int messages, AmProtocol protocol) {
        assertServerReceives(transports, "am", size, messages,
                (connection, payload) -> connection.activeMessages().send(AM_ID, MemorySegment.NULL, payload, protocol));
    }

    /** Not over shared memory, where UCX 1.13 does not connect to a peer with neither tagged nor active messages. */
    @ParameterizedTest
    @CsvSource({"tcp, 16, 1", "tcp, 16, 100", "tcp, 1000000, 3"})
    void serverReceivesOurStream(String transports, int size, int messages) {
        assertServerReceives(transports, "stream", size, messages, (connection, payload) -> connection.streams().send(payload));
    }

    private interface Send {

        Mono<Void> send(UcxConnection connection, MemorySegment payload);
    }

    private void assertServerReceives(String transports, String mode, int size, int messages, Send send) {
        String text = CExample.ourText(size);
        UcxResources resources = CExample.resources(transports);
        try (ChildProcess server = example.start(transports, "-l", "127.0.0.1", "-p", "0", "-c", mode, "-s", "" + size,
                "-i", "" + messages)) {
            int port = Integer.parseInt(server.awaitLine("server is listening on IP 127.0.0.1 port ").replaceAll(".* ", ""));
            server.awaitLine(WAITING);
            for (int client = 0; client < 2; client++) {
                UcxConnection connection = UcxClient.create(resources).raw(true).remoteAddress("127.0.0.1", port).connectNow();
                for (int i = 0; i < messages; i++) {
                    send.send(connection, CExample.terminated(text)).block(Waits.PATIENCE);
                }
                server.awaitLine("Server: iteration #" + messages);
                server.awaitLine(SUCCESS);
                server.awaitLine(text + ".");
                server.awaitLine(WAITING);
                connection.onDispose().block(Waits.PATIENCE);
            }
            assertThat(server.handle().isAlive()).as(server.output()).isTrue();
            assertThat(server.output()).doesNotContain("failed").doesNotContain("unable").doesNotContain("wrong");
        } finally {
            resources.disposeNow();
        }
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '"', value = {"all, 16, 1", "tcp, 16, 100", "tcp, 1000000, 3", "\"posix,tcp\", 16, 100",
        "\"posix,tcp\", 1000000, 3"})
    void ourServerReceivesTaggedMessages(String transports, int size, int messages) {
        assertReceivedFromClient(transports, "tag", size, messages, connection -> Flux.range(0, messages)
                .flatMap(i -> connection.tags().receive(TAG, Bytes.zeroed(size)), messages).map(message -> CExample.text(message.data())));
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '"', value = {"all, 16, 1", "tcp, 16, 100", "tcp, 1000000, 3", "\"posix,tcp\", 16, 100",
        "\"posix,tcp\", 1000000, 3"})
    void ourServerReceivesActiveMessages(String transports, int size, int messages) {
        assertReceivedFromClient(transports, "am", size, messages, connection -> connection.activeMessages().receive(AM_ID).take(messages)
                .concatMap(message -> message.fetch(Bytes.zeroed(size))).map(CExample::text));
    }

    /** Not over shared memory: UCX 1.13 has other lanes there for a peer without tagged and active messages, and aborts the accepting one. */
    @ParameterizedTest
    @CsvSource({"tcp, 16, 1", "tcp, 16, 100", "tcp, 1000000, 3"})
    void ourServerReceivesStream(String transports, int size, int messages) {
        assertReceivedFromClient(transports, "stream", size, messages, connection -> texts(connection, size, messages));
    }

    /** A stream has no borders: its first bytes, cut into pieces as long as what the client sends at once. */
    private static Flux<String> texts(UcxConnection connection, int size, int messages) {
        return Flux.defer(() -> {
            MemorySegment all = Bytes.zeroed((long) size * messages);
            long[] position = {0};
            return connection.streams().receive().doOnNext(piece -> {
                MemorySegment.copy(piece.segment(), 0, all, position[0], piece.length());
                position[0] += piece.length();
                piece.release();
            }).takeUntil(piece -> position[0] == all.byteSize()).thenMany(Flux.range(0, messages))
                    .map(i -> CExample.text(all.asSlice((long) i * size, size)));
        });
    }

    private void assertReceivedFromClient(String transports, String mode, int size, int messages,
            Function<UcxConnection, Flux<String>> receive) {
        UcxResources resources = CExample.resources(transports);
        Sinks.One<List<String>> received = Sinks.one();
        try {
            UcxBoundServer bound = UcxServer.create(resources).raw(true).handle(connection -> receive.apply(connection).collectList()
                    .doOnSuccess(received::tryEmitValue).doOnError(received::tryEmitError).then()).bindNow();
            try (ChildProcess client = example.start(transports, "-a", "127.0.0.1", "-p", "" + bound.port(), "-c", mode, "-s", "" + size,
                    "-i", "" + messages)) {
                List<String> texts = received.asMono().block(Waits.PATIENCE);
                ChildProcess.Result result = client.result();
                assertThat(texts).hasSize(messages).containsOnly(CExample.theirText(size));
                assertThat(result.output()).contains("Client: iteration #" + messages + "\n").contains(CExample.theirText(size) + ".\n");
                assertThat(result.exitCode()).as(result.output()).isZero();
            }
        } finally {
            resources.disposeNow();
        }
    }
}
