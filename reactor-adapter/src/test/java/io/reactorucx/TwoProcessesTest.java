package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.Ucx;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.message.TaggedMessage;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What matters of the contract with the peer in a process of its own, checked by content. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@ValueSource(strings = {"posix,tcp", "tcp"})
class TwoProcessesTest implements NeedsUcx {

    private static final long[] SIZES = {0, 1, 8 * Bytes.KIB, Bytes.MIB, 64L * Bytes.MIB};

    private static EchoProcess server;
    private static UcxResources resources;
    private static UcxConnection connection;

    @Parameter
    private String transports;

    @BeforeParameterizedClassInvocation
    static void connect(String transports) {
        connection = null;
        if (Ucx.isAvailable()) {
            server = new EchoProcess(transports.split(","));
            resources = UcxResources.builder().transports(transports.split(",")).remoteMemoryAccess(true)
                    .maxBufferBytes(256L << 20).build();
            connection = server.client(resources).connectNow();
        }
    }

    @AfterParameterizedClassInvocation
    static void close() {
        if (connection == null) {
            return;
        }
        try {
            connection.disposeNow();
            assertThat(resources.buffers().leases()).isZero();
            server.end();
        } finally {
            server.close();
            resources.disposeNow();
        }
        assertThat(resources.context().isClosed()).isTrue();
    }

    @BeforeEach
    void assumeConnected() {
        assumeTrue(connection != null, "nothing is connected");
    }

    @Test
    void connectionSaysWhereItLeads() {
        assertThat(connection.peer()).isEqualTo(server.name());
        assertThat(connection.transports()).anyMatch(name -> name.startsWith(transports.split(",")[0] + "/"));
    }

    static Stream<Arguments> protocolsAndSizes() {
        return Stream.of(AmProtocol.values()).flatMap(protocol -> Arrays.stream(SIZES)
                .mapToObj(size -> Arguments.of(protocol, size)));
    }

    @ParameterizedTest
    @MethodSource("protocolsAndSizes")
    void activeMessageComesBackAsItWent(AmProtocol protocol, long size) {
        Inbox inbox = Inbox.of(connection, EchoServer.ECHOED);
        MemorySegment payload = Bytes.pattern(size + 1, size);
        MemorySegment header = Bytes.pattern(size + 2, 21);

        connection.activeMessages().send(EchoServer.ECHO, header, payload, protocol).block(Waits.PATIENCE);

        ActiveMessage answer = inbox.next();
        Bytes.assertSame(answer.header(), header);
        Bytes.assertSame(Bytes.of(answer), payload);
        inbox.cancel();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 8 * Bytes.KIB, Bytes.MIB, 64L * Bytes.MIB})
    void taggedMessageComesBackAsItWent(long size) {
        MemorySegment payload = Bytes.pattern(size + 3, size);
        CompletableFuture<TaggedMessage> answer = connection.tags().receive(EchoServer.TAG_ECHOED, Bytes.zeroed(size))
                .toFuture();

        connection.tags().sendSync(EchoServer.TAG_TO_ECHO, payload).block(Waits.PATIENCE);

        Bytes.assertSame(Waits.get(answer).data(), payload);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 8 * Bytes.KIB, Bytes.MIB, 64L * Bytes.MIB})
    void memoryOfTheOtherProcessIsWrittenAndRead(long size) {
        RemoteMemory window = connection.memory(server.window());
        MemorySegment content = Bytes.pattern(size, EchoServer.WINDOW_BYTES);
        window.put(0, content).then(window.flush()).block(Waits.PATIENCE);
        long offset = EchoServer.WINDOW_BYTES - size;
        MemorySegment part = Bytes.pattern(size + 4, size);
        content.asSlice(offset).copyFrom(part);

        window.put(offset, part).then(window.flush()).block(Waits.PATIENCE);

        assertThat(digest()).as("SHA-256 of the window").isEqualTo(Bytes.sha256(content));
        Bytes.assertSame(Objects.requireNonNull(window.get(offset, Bytes.zeroed(size)).block(Waits.PATIENCE)), part);
        window.close();
    }

    private static byte[] digest() {
        CompletableFuture<ActiveMessage> answer = connection.activeMessages().receive(EchoServer.DIGESTED).next()
                .toFuture();
        connection.activeMessages().send(EchoServer.DIGEST, new byte[0]).block(Waits.PATIENCE);
        byte[] digest = Bytes.array(Waits.get(answer).data());
        Waits.engineOf(connection);
        return digest;
    }

    @Test
    void memoryOfTheOtherProcessIsReadInChunks() {
        RemoteMemory window = connection.memory(server.window());
        MemorySegment content = Bytes.pattern(9, EchoServer.WINDOW_BYTES);
        window.put(0, content).then(window.flush()).block(Waits.PATIENCE);
        long[] position = {0};

        window.getFlux(3_000_000, 4).doOnNext(chunk -> {
            Bytes.assertSame(chunk.segment(), content.asSlice(position[0], chunk.length()));
            position[0] += chunk.length();
            chunk.release();
        }).blockLast(Waits.PATIENCE);

        assertThat(position[0]).isEqualTo(EchoServer.WINDOW_BYTES);
        window.close();
    }

    @Test
    void offersOfTheOtherProcessAreFetched() {
        RemoteMemory window = connection.memory(server.window());
        MemorySegment content = Bytes.pattern(10, EchoServer.OFFER_BYTES);
        window.put(0, content).then(window.flush()).block(Waits.PATIENCE);
        Inbox inbox = Inbox.of(connection, EchoServer.OFFERED);

        for (int i = 0; i < 5; i++) {
            connection.activeMessages().send(EchoServer.OFFER, new byte[0]).block(Waits.PATIENCE);
        }

        for (int i = 0; i < 5; i++) {
            UcxBuffer buffer = Objects.requireNonNull(inbox.next().fetch(resources.buffers()).block(Waits.PATIENCE));
            Bytes.assertSame(buffer.segment(), content);
            buffer.release();
        }
        inbox.cancel();
        window.close();
    }
}
