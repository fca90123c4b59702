package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.testsupport.TestTime;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * Two connected workers of one context, both driven by the test's thread; for {@link Link#SELF_NONE} both are the same
 * one.
 */
final class Pair implements AutoCloseable {

    /** The address of an RDMA device, which has no loopback, or of this host. */
    private static final String ADDRESS = System.getProperty("io.reactorucx.test.address", "127.0.0.1");

    static final MemorySegment EMPTY = MemorySegment.NULL;
    static final int ID = 3;
    private static final long TIMEOUT_NANOS = TestTime.seconds(10).toNanos();

    final UcpContext context;
    final UcpWorker server;
    final UcpWorker client;
    /** The client's endpoint to the server. */
    final UcpEndpoint toServer;
    /** The server's endpoint to the client. */
    final UcpEndpoint toClient;
    /** The errors that the handlers of both endpoints were called with. */
    final List<UcxStatus> errors = new ArrayList<>();
    final List<UcpActiveMessage> received = new ArrayList<>();
    private final List<UcpListener> listeners = new ArrayList<>();

    private Pair(UcpContext context, UcpWorkerConfig limits, Link link) {
        this.context = context;
        server = context.createWorker(limits);
        client = link.isSelf() ? server : context.createWorker(limits);
        if (link.isSelf()) {
            toServer = client.connect(server.address(), options(ErrorMode.NONE, "itself"));
            toClient = toServer;
        } else {
            List<UcpConnectionRequest> requests = new ArrayList<>();
            UcpListener listener = server.listen(local(0), requests::add);
            listeners.add(listener);
            toServer = client.connect(listener.address(), options(link.errorMode(), "server"));
            until(() -> !requests.isEmpty(), "a connection request");
            toClient = server.accept(requests.getFirst(), options(link.errorMode(), "client"));
        }
        awaitOk(Outcome.of(toServer::flush));
        awaitOk(Outcome.of(toClient::flush));
        server.activeMessages().handler(ID, message -> received.add(message.keep()));
    }

    static Pair of(Link link) {
        return of(link, UcpWorkerConfig.of("pair"));
    }

    static Pair of(Link link, UcpWorkerConfig limits) {
        return new Pair(UcpContext.create(link.config()), limits, link);
    }

    /** An address of this host. */
    static InetSocketAddress local(int port) {
        return new InetSocketAddress(InetAddress.ofLiteral(ADDRESS), port);
    }

    EndpointOptions options(ErrorMode mode, String peer) {
        return new EndpointOptions(mode, peer, (endpoint, status) -> errors.add(UcxStatus.of(status)));
    }

    void step() {
        server.progress();
        if (client != server) {
            client.progress();
        }
    }

    void until(BooleanSupplier condition, String what) {
        until(this::step, condition, what);
    }

    /** Drives workers until a condition holds; fails after a timeout. */
    static void until(Runnable step, BooleanSupplier condition, String what) {
        long deadline = System.nanoTime() + TIMEOUT_NANOS;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline).as("10 s without " + what).isNegative();
            step.run();
        }
    }

    UcxStatus await(Outcome outcome) {
        until(outcome::isDone, "the end of an operation");
        return outcome.status();
    }

    void awaitOk(Outcome outcome) {
        assertThat(await(outcome)).isEqualTo(UcxStatus.OK);
    }

    void run(Predicate<Completion> operation) {
        awaitOk(Outcome.of(operation));
    }

    Outcome send(MemorySegment header, MemorySegment payload, AmProtocol protocol) {
        return Outcome.of(done -> toServer.amSend(ID, header, payload, null, protocol, false, done));
    }

    UcpActiveMessage awaitMessage() {
        until(() -> !received.isEmpty(), "an active message");
        return received.removeFirst();
    }

    /** The data of a message, wherever it is. */
    MemorySegment data(UcpActiveMessage message) {
        if (message.isInline()) {
            return message.payload();
        }
        MemorySegment destination = Arena.ofAuto().allocate(message.length());
        Outcome fetched = Outcome.of(done -> server.activeMessages().fetch(message, destination, null, done));
        awaitOk(fetched);
        return destination;
    }

    /** Asserts that both directions still carry messages, after a misuse that should do no harm. */
    void assertStillWorks() {
        byte[] text = {1, 2, 3, 4};
        MemorySegment payload = pattern(text.length);
        Outcome sent = Outcome.of(
                done -> toServer.amSend(ID, MemorySegment.ofArray(text), payload, null, AmProtocol.AUTO, false, done));
        UcpActiveMessage message = awaitMessage();
        awaitOk(sent);
        assertThat(message.header().mismatch(MemorySegment.ofArray(text))).isEqualTo(-1);
        assertThat(data(message).mismatch(payload)).isEqualTo(-1);
        MemorySegment destination = Arena.ofAuto().allocate(text.length);
        Outcome arrived = new Outcome();
        client.tags().receive(destination, null, 77, -1, arrived);
        run(done -> toClient.tagSend(payload, null, 77, done));
        awaitOk(arrived);
        assertThat(destination.mismatch(payload)).isEqualTo(-1);
        assertThat(server.inFlight() + client.inFlight()).as("operations in flight").isZero();
    }

    /** Up to 8 bytes, the first one lowest. */
    static long wordOf(MemorySegment bytes) {
        long word = 0;
        for (long i = bytes.byteSize() - 1; i >= 0; i--) {
            word = word << Byte.SIZE | bytes.get(ValueLayout.JAVA_BYTE, i) & 0xff;
        }
        return word;
    }

    /** Native memory whose bytes depend on their offset. */
    static MemorySegment pattern(long bytes) {
        MemorySegment segment = Arena.ofAuto().allocate(bytes, 8);
        byte[] block = new byte[8191];
        for (int i = 0; i < block.length; i++) {
            block[i] = (byte) (i * 31 + (i >> 8));
        }
        for (long offset = 0; offset < bytes; offset += block.length) {
            long length = Math.min(block.length, bytes - offset);
            MemorySegment.copy(MemorySegment.ofArray(block), 0, segment, offset, length);
        }
        return segment;
    }

    /**
     * Closes everything and checks that UCX releases it; operations that a test has left in flight end by force where
     * UCX can do that.
     */
    @Override
    public void close() {
        List<Outcome> closes = new ArrayList<>();
        for (UcpWorker worker : List.of(client, server)) {
            worker.tags().cancelAll();
            for (UcpEndpoint endpoint : worker.endpoints()) {
                CloseMode mode = endpoint.errorMode() == ErrorMode.PEER ? CloseMode.FORCE : CloseMode.FLUSH;
                closes.add(Outcome.of(done -> endpoint.close(mode, done)));
            }
        }
        until(() -> closes.stream().allMatch(Outcome::isDone) && client.inFlight() + server.inFlight() == 0,
                "an end of all operations");
        server.listeners().forEach(UcpListener::close);
        client.close();
        server.close();
        context.close();
    }
}
