package io.reactorucx.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.ActiveMessages;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.ErrorMode;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.message.TaggedMessage;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** Each kind of message between two processes, by content. */
@ParameterizedClass(name = "{0} {1}")
@MethodSource("io.reactorucx.rdma.Verbs#withModes")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OperationsTest {

    @Parameter(0)
    private Verbs verbs;
    @Parameter(1)
    private ErrorMode mode;
    private ServerProcess server;
    private Client client;

    @BeforeParameterizedClassInvocation
    void connect() {
        server = ServerProcess.start(verbs, mode == ErrorMode.NONE ? "none" : "peer");
        client = Client.connect(verbs, mode, server.port());
    }

    @AfterParameterizedClassInvocation
    void end() {
        try (ServerProcess ended = server) {
            client.close();
            ended.end(mode);
        }
    }

    @Test
    void dataGoesOverVerbsAlone() {
        assertThat(client.connection().transports()).matches(lanes -> verbs.carries(client.connection()));
        assertThat(client.connection().errorMode()).isEqualTo(mode);
    }

    @Test
    void tcpOfUcxDoesNotListen() {
        assertThat(client.resources().listeningAddresses()).isEmpty();
        assertThat(server.log()).contains("UCX at []");
    }

    @ParameterizedTest(name = "{0} bytes")
    @ValueSource(ints = {0, 8, 65_536, 1 << 20, 16 << 20})
    void requestIsAnswered(int bytes) {
        MemorySegment content = Contents.of(bytes, bytes);
        UcxBuffer request = client.resources().buffers().copyOf(content.toArray(ValueLayout.JAVA_BYTE));
        UcxBuffer answer = Objects.requireNonNull(client.connection().requester().requestResponse(request)
                .block(Client.LIMIT));
        try {
            Contents.requireSame(answer.segment(), content);
        } finally {
            answer.release();
        }
    }

    @Test
    void streamOfAnswersArrives() {
        assertThat(client.connection().requester().requestStream(new byte[] {1})
                .map(item -> Integer.parseInt(new String(item, StandardCharsets.US_ASCII)))
                .collectList().block(Client.LIMIT)).hasSize(EchoServer.STREAM_ITEMS).isSorted();
    }

    @ParameterizedTest(name = "{0}, {1} bytes")
    @CsvSource({"AUTO, 0", "AUTO, 8", "AUTO, 4000", "AUTO, 65536", "AUTO, 1048576", "AUTO, 16777216", "EAGER, 0",
        "EAGER, 8", "EAGER, 4000", "EAGER, 65536", "RENDEZVOUS, 0", "RENDEZVOUS, 8", "RENDEZVOUS, 4000",
        "RENDEZVOUS, 65536", "RENDEZVOUS, 1048576", "RENDEZVOUS, 16777216"})
    void activeMessageIsEchoed(AmProtocol protocol, int bytes)
            throws InterruptedException, ExecutionException, TimeoutException {
        ActiveMessages messages = client.connection().activeMessages();
        MemorySegment content = Contents.of(bytes + 1L, bytes);
        CompletableFuture<Void> echoed = new CompletableFuture<>();
        Disposable inbox = messages.receive(EchoServer.ECHOED_ID).concatMap(message -> check(message, content))
                .subscribe(checked -> echoed.complete(null), echoed::completeExceptionally);
        try {
            messages.send(EchoServer.ECHO_ID, MemorySegment.NULL, content, protocol).block(Client.LIMIT);
            echoed.get(Client.LIMIT.toSeconds(), TimeUnit.SECONDS);
        } finally {
            inbox.dispose();
        }
    }

    private Mono<Boolean> check(ActiveMessage message, MemorySegment content) {
        if (message.hasData()) {
            Contents.requireSame(message.data(), content);
            return Mono.just(true);
        }
        return message.fetch(client.resources().buffers()).map(data -> {
            try {
                Contents.requireSame(data.segment(), content);
                return true;
            } finally {
                data.release();
            }
        });
    }

    @ParameterizedTest(name = "{0} bytes")
    @ValueSource(ints = {0, 8, 8192, 1 << 20, 16 << 20})
    void taggedMessageIsEchoed(int bytes) throws InterruptedException, ExecutionException, TimeoutException {
        MemorySegment content = Contents.of(bytes + 2L, bytes);
        CompletableFuture<TaggedMessage> echoed = client.connection().tags()
                .receive(EchoServer.ECHOED_TAG, Contents.empty(bytes)).toFuture();
        client.connection().tags().sendSync(EchoServer.ECHO_TAG, content).block(Client.LIMIT);
        Contents.requireSame(echoed.get(Client.LIMIT.toSeconds(), TimeUnit.SECONDS).data(), content);
    }

    @Test
    void byteStreamIsEchoed() throws InterruptedException, ExecutionException, TimeoutException {
        assumeTrue(mode == ErrorMode.PEER, "a receive of a byte stream outlives its peer in mode NONE");
        int bytes = 1 << 20;
        MemorySegment content = Contents.of(3, bytes);
        MemorySegment echo = Contents.empty(bytes);
        CompletableFuture<Void> complete = new CompletableFuture<>();
        long[] arrived = {0};
        Disposable inbox = client.connection().streams().receive().subscribe(part -> {
            echo.asSlice(arrived[0], part.length()).copyFrom(part.segment());
            arrived[0] += part.length();
            part.release();
            if (arrived[0] == bytes) {
                complete.complete(null);
            }
        }, complete::completeExceptionally);
        try {
            client.connection().streams().send(content).block(Client.LIMIT);
            complete.get(Client.LIMIT.toSeconds(), TimeUnit.SECONDS);
            Contents.requireSame(echo, content);
        } finally {
            inbox.dispose();
        }
    }
}
