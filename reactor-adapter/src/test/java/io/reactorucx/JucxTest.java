package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.MemoryDescriptor;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;

/**
 * With JUCX, the Java binding of UCX itself, in a process of its own: once its server with our client, once the other
 * way round. Its jar brings a native library for its own calls, and no UCX: both sides run on the system's.
 */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "JUCX is the {0}, over {1}")
@CsvSource(quoteCharacter = '"', value = {"server, \"posix,tcp\"", "server, tcp", "client, \"posix,tcp\"",
    "client, tcp"})
class JucxTest implements NeedsUcx {

    private static final int[] SIZES = {0, 8, 8 * Bytes.KIB, Bytes.MIB};
    private static final int WINDOW_BYTES = Bytes.MIB;

    @Parameter(0)
    private String itsRole;
    @Parameter(1)
    private String transports;
    private UcxResources resources;
    private ChildJvm child;
    private UcxConnection connection;

    @BeforeEach
    void connect() throws InterruptedException {
        resources = UcxResources.builder().transports(transports.split(",")).setting("NET_DEVICES", "lo")
                .remoteMemoryAccess(true).build();
        BlockingQueue<UcxConnection> accepted = new LinkedBlockingQueue<>();
        boolean itServes = itsRole.equals("server");
        UcxBoundServer ours = UcxServer.create(resources).raw(true).handle(peer -> {
            accepted.add(peer);
            return Mono.never();
        }).bindNow();
        ChildJvm.Builder builder = ChildJvm.of(JucxPeer.class).options("-Xmx256m")
                .environment("UCX_TLS", transports).environment("UCX_NET_DEVICES", "lo")
                .environment("UCX_POSIX_ERROR_HANDLING", "y")
                .environment("UCX_WARN_UNUSED_ENV_VARS", "n").environment("UCX_ERROR_SIGNALS", "")
                .environment("UCX_MEM_EVENTS", "n");
        child = itServes ? builder.start() : builder.arguments("" + ours.port()).start();
        String library = child.awaitLine(JucxPeer.LIBRARY);
        assumeTrue(!library.startsWith(JucxPeer.UNAVAILABLE), library);
        assertThat(library).as("the library that JUCX uses").startsWith(JucxPeer.LIBRARY + "/").doesNotContain("jucx");
        if (itServes) {
            int port = Integer.parseInt(child.awaitLine(JucxPeer.READY).substring(JucxPeer.READY.length()));
            connection = UcxClient.create(resources).raw(true).remoteAddress("127.0.0.1", port).connectNow();
        } else {
            connection = Objects.requireNonNull(accepted.poll(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS),
                    "nothing was accepted");
        }
        child.awaitLine(JucxPeer.CONNECTED);
    }

    @AfterEach
    void close() {
        if (child != null) {
            child.close();
        }
        if (resources != null) {
            resources.disposeNow();
        }
    }

    /** Lets the other side end in good order, which this side notices. */
    private void end() {
        child.send("end");
        ChildJvm.Result result = child.result();
        assertThat(result.output()).contains(JucxPeer.ENDED);
        assertThat(result.exitCode()).as(result.output()).isZero();
        connection.onDispose().block(Waits.PATIENCE);
    }

    private static String digest(MemorySegment content) {
        return HexFormat.of().formatHex(Bytes.sha256(content));
    }

    @Test
    void taggedMessagesGoBothWays() {
        for (int size : SIZES) {
            MemorySegment room = Bytes.zeroed(size);
            var received = connection.tags().receive(JucxPeer.TAG, room).toFuture();
            child.send("sendTagged " + size);
            child.awaitLine(JucxPeer.SENT);
            Bytes.assertSame(Waits.get(received).data(), Bytes.pattern(size, size));

            child.send("receiveTagged " + size);
            MemorySegment payload = Bytes.pattern(size + 3, size);
            connection.tags().sendSync(JucxPeer.TAG, payload).block(Waits.PATIENCE);
            assertThat(child.awaitLine(JucxPeer.RECEIVED)).isEqualTo(JucxPeer.RECEIVED + digest(payload));
        }
        end();
    }

    @Test
    void activeMessagesGoBothWays() {
        Inbox inbox = Inbox.of(connection, JucxPeer.DATA_ID);
        for (int size : SIZES) {
            for (AmProtocol protocol : new AmProtocol[] {AmProtocol.EAGER, AmProtocol.RENDEZVOUS}) {
                boolean rendezvous = protocol == AmProtocol.RENDEZVOUS;
                child.send((rendezvous ? "sendRendezvous " : "sendEager ") + size);
                ActiveMessage message = inbox.next();
                assertThat(message.isRendezvous()).isEqualTo(rendezvous);
                Bytes.assertSame(message.header(), Bytes.pattern(size + 1, 16));
                Bytes.assertSame(Bytes.of(message), Bytes.pattern(size, size));
                child.awaitLine(JucxPeer.SENT);

                MemorySegment header = Bytes.pattern(size + 4, 21);
                MemorySegment payload = Bytes.pattern(size + 5, size);
                connection.activeMessages().send(JucxPeer.DATA_ID, header, payload, protocol).block(Waits.PATIENCE);
                assertThat(child.awaitLine(JucxPeer.RECEIVED)).isEqualTo(JucxPeer.RECEIVED
                        + (rendezvous ? "rendezvous " : "eager ") + size + " " + HexFormat.of()
                        .formatHex(Bytes.array(header)) + " "
                        + digest(payload));
            }
        }
        inbox.cancel();
        end();
    }

    @Test
    void itsMemoryIsReadAndWritten() {
        Inbox inbox = Inbox.of(connection, JucxPeer.DESCRIPTOR_ID);
        child.send("share " + WINDOW_BYTES);
        RemoteMemory remote = connection.memory(MemoryDescriptor.fromBytes(Bytes.array(Bytes.of(inbox.next()))));
        MemorySegment content = Bytes.pattern(WINDOW_BYTES, WINDOW_BYTES);
        assertThat(remote.length()).isEqualTo(WINDOW_BYTES);
        Bytes.assertSame(Objects.requireNonNull(remote.get(0, Bytes.zeroed(WINDOW_BYTES)).block(Waits.PATIENCE)),
                content);

        MemorySegment part = Bytes.pattern(1, 100_000);
        remote.put(WINDOW_BYTES - 100_000, part).then(remote.flush()).block(Waits.PATIENCE);

        content.asSlice(WINDOW_BYTES - 100_000).copyFrom(part);
        child.send("content");
        assertThat(child.awaitLine(JucxPeer.CONTENT)).isEqualTo(JucxPeer.CONTENT + digest(content));
        remote.close();
        inbox.cancel();
        end();
    }

    @Test
    void itReadsAndWritesOurMemory() {
        for (boolean allocatedByUcx : new boolean[] {true, false}) {
            UcpMemory window = allocatedByUcx ? resources.allocateMemory(WINDOW_BYTES)
                    : resources.registerMemory(Bytes.zeroed(WINDOW_BYTES));
            Bytes.fill(window.segment(), 6);
            connection.activeMessages().send(JucxPeer.DESCRIPTOR_ID, window.descriptor().toBytes())
                    .block(Waits.PATIENCE);

            child.send("get");
            assertThat(child.awaitLine(JucxPeer.GOT)).isEqualTo(JucxPeer.GOT + WINDOW_BYTES + " "
                    + digest(Bytes.pattern(6, WINDOW_BYTES)));
            child.send("put 7");
            child.awaitLine(JucxPeer.FLUSHED);

            Bytes.assertSame(window.segment(), Bytes.pattern(7, WINDOW_BYTES));
        }
        end();
    }
}
