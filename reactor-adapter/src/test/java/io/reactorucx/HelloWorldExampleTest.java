package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.internal.concurrent.EngineCall;
import io.reactorucx.message.TaggedMessage;
import io.reactorucx.testsupport.ChildProcess;
import io.reactorucx.testsupport.NoLeaks;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * UCX's example {@code ucp_hello_world}, from both ends: the server tells the address of its worker over a socket of
 * its own, the client sends that of its worker as a tagged message, the server answers with a text, and both say over
 * the socket that they are done.
 *
 * <p>Both tagged messages are a length of 8 bytes, and that many bytes. The example connects without failure detection.
 */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class HelloWorldExampleTest implements NeedsUcx {

    private static final long TAG = 0x1337a880L;
    private static final int ROOM = 64 * Bytes.KIB;
    private static final int PATIENCE_MILLIS = (int) Waits.PATIENCE.toMillis();

    private CExample example;

    @BeforeEach
    void compile(@TempDir Path folder) throws IOException {
        example = CExample.compile("ucp_hello_world", folder);
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '"', value = {"all, 16, -b", "tcp, 16, -w", "tcp, 1000000, -f", "\"posix,tcp\", 16, -f",
        "\"posix,tcp\", 1000000, -w"})
    void clientReceivesOurText(String transports, int size, String waiting) throws IOException {
        UcxResources resources = CExample.resources(transports);
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ChildProcess client = example.start(transports, "-n", "127.0.0.1", "-p", "" + listener.getLocalPort(),
                        "-s", "" + size,
                        waiting)) {
            listener.setSoTimeout(PATIENCE_MILLIS);
            // Nothing is connected yet, so that the receive cannot be a connection's.
            CompletableFuture<MemorySegment> clientAddress = receive(resources);
            try (Socket socket = listener.accept()) {
                byte[] address = Objects.requireNonNull(resources.workerAddress(0).block(Waits.PATIENCE));
                socket.setSoTimeout(PATIENCE_MILLIS);
                socket.getOutputStream().write(ByteBuffer.allocate(Long.BYTES + address.length)
                        .order(ByteOrder.nativeOrder())
                        .putLong(address.length).put(address).array());
                UcxConnection connection = connect(resources, Bytes.array(unwrapped(Waits.get(clientAddress))));

                connection.tags().send(TAG, wrapped(CExample.terminated(CExample.ourText(size)))).block(Waits.PATIENCE);

                client.awaitLine("----- UCP TEST SUCCESS");
                client.awaitLine(CExample.ourText(size));
                leave(socket, connection);
            }
            ChildProcess.Result result = client.result();
            assertThat(result.exitCode()).as(result.output()).isZero();
        } finally {
            resources.disposeNow();
        }
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '"', value = {"all, 16", "tcp, 16", "tcp, 1000000", "\"posix,tcp\", 16",
        "\"posix,tcp\", 1000000"})
    void serverReceivesOurAddressAndAnswers(String transports, int size) throws IOException {
        UcxResources resources = CExample.resources(transports);
        Server started = startServer(transports, size);
        try (ChildProcess server = started.process()) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), started.port())) {
                socket.setSoTimeout(PATIENCE_MILLIS);
                DataInputStream in = new DataInputStream(socket.getInputStream());
                byte[] theirs = new byte[(int) ByteBuffer.wrap(in.readNBytes(Long.BYTES)).order(ByteOrder.nativeOrder())
                        .getLong()];
                in.readFully(theirs);
                byte[] ours = Objects.requireNonNull(resources.workerAddress(0).block(Waits.PATIENCE));
                UcxConnection connection = connect(resources, theirs);
                MemorySegment answer = Bytes.zeroed(Long.BYTES + size);
                CompletableFuture<TaggedMessage> received = connection.tags().receive(TAG, answer).toFuture();

                connection.tags().send(TAG, wrapped(Arena.ofAuto().allocateFrom(ValueLayout.JAVA_BYTE, ours)))
                        .block(Waits.PATIENCE);

                assertThat(CExample.text(unwrapped(Waits.get(received).data()))).isEqualTo(CExample.theirText(size));
                server.awaitLine("finish to send UCX data message");
                server.awaitLine("flush_ep completed with status 0");
                leave(socket, connection);
            }
            ChildProcess.Result result = server.result();
            assertThat(result.output()).contains("receive handler called with status 0 (Success), length ");
            assertThat(result.exitCode()).as(result.output()).isZero();
        } finally {
            resources.disposeNow();
        }
    }

    private record Server(ChildProcess process, int port) {
    }

    /**
     * Starts its server, which cannot choose a port itself, on a port that was free a moment ago: again when it is not
     * any more.
     */
    private Server startServer(String transports, int size) throws IOException {
        for (int attempt = 1; ; attempt++) {
            int port = freePort();
            ChildProcess process = example.start(transports, "-p", "" + port, "-s", "" + size);
            try {
                process.awaitLine("Waiting for connection");
                return new Server(process, port);
            } catch (AssertionError e) {
                process.close();
                if (attempt == 5 || !process.output().contains("open server socket")) {
                    throw e;
                }
            }
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }

    private static UcxConnection connect(UcxResources resources, byte[] workerAddress) {
        return UcxClient.create(resources).raw(true).peerFailureDetection(false).engine(0)
                .remoteWorkerAddress(workerAddress).connectNow();
    }

    /** Receives the tagged message of a peer that no connection leads to yet. */
    private static CompletableFuture<MemorySegment> receive(UcxResources resources) {
        MemorySegment room = Bytes.zeroed(ROOM);
        CompletableFuture<MemorySegment> received = new CompletableFuture<>();
        EngineCall.mono(resources.engines().getFirst(), worker -> worker.tags().receive(room, null, TAG,
                -1, (status, length, tag) -> {
                    assertThat(status).isZero();
                    received.complete(room.asSlice(0, length));
                })).block(Waits.PATIENCE);
        return received;
    }

    private static MemorySegment wrapped(MemorySegment content) {
        MemorySegment message = Bytes.zeroed(Long.BYTES + content.byteSize());
        message.set(ValueLayout.JAVA_LONG, 0, content.byteSize());
        MemorySegment.copy(content, 0, message, Long.BYTES, content.byteSize());
        return message;
    }

    private static MemorySegment unwrapped(MemorySegment message) {
        assertThat(message.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(message.byteSize() - Long.BYTES);
        return message.asSlice(Long.BYTES);
    }

    /** Closes while the other side still makes progress, which it does until it has read that this one is done. */
    private static void leave(Socket socket, UcxConnection connection) throws IOException {
        connection.close().block(Waits.PATIENCE);
        socket.getOutputStream().write(new byte[Integer.BYTES]);
        assertThat(socket.getInputStream().readNBytes(Integer.BYTES)).hasSize(Integer.BYTES);
    }
}
