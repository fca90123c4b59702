package io.reactorucx.netty.internal;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcpContext;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.engine.EngineConfig;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.netty.UcxNettyConfig;
import io.reactorucx.netty.io.SocketFrame;
import io.reactorucx.transport.buffer.BufferPool;
import io.reactorucx.transport.buffer.LeakReporter;
import io.reactorucx.transport.buffer.Lease;
import io.reactorucx.transport.command.EngineCloseListeners;
import io.reactorucx.transport.config.AuthenticatorLimits;
import io.reactorucx.transport.config.ConnectionConfig;
import io.reactorucx.transport.connect.ConnectCallback;
import io.reactorucx.transport.connect.EngineResources;
import io.reactorucx.transport.connect.Established;
import io.reactorucx.transport.connect.SocketConnector;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.connection.ProtocolFactory;
import io.reactorucx.transport.connection.ProtocolHandler;
import io.reactorucx.transport.frame.ReservedMessageIds;
import io.reactorucx.transport.handshake.ResourceLimits;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/**
 * A peer with a program of its own: it does the handshakes of sockets and links as it should, and then sends the frames
 * that a test wants. The thread that makes it steps it.
 */
public final class HostileLoop implements AutoCloseable {

    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final int MAGIC = 0x52554358;
    private static final byte VERSION = SocketFrame.VERSION;

    private final UcpContext context;
    private final ProgressEngine engine;
    private final BufferPool pool;
    private final EngineResources resources;
    private final StreamFrame frame = new StreamFrame();
    private final MemorySegment data = Arena.ofAuto().allocate(1 << 20);
    private final List<Heard> heard = new ArrayList<>();

    /** A frame of the other side. */
    public record Heard(StreamFrame.Type type, int channel, int from, int credit, long length) {
    }

    /** A channel whose socket's handshake is done: the number and the token of the other side. */
    public record Greeted(Socket socket, int id, int channel, long token, int port) implements AutoCloseable {

        @Override
        public void close() throws IOException {
            socket.close();
        }

        /** Ends the socket as a channel does that has closed. */
        public void endInOrder() throws IOException {
            socket.getOutputStream().write(ByteBuffer.allocate(8).putInt(MAGIC).put(VERSION).put((byte) 4).array());
            socket.close();
        }
    }

    public HostileLoop(String transport) {
        context = UcpContext.create(LoopEngine.ucpConfig(UcxNettyConfig.DEFAULT.withTransports(transport)));
        EngineCloseListeners ends = new EngineCloseListeners();
        LeakReporter leaks = new LeakReporter(LeakReporter.defaultLevel());
        engine = new ProgressEngine(context, EngineConfig.of("hostile").withCloseTimeout(Duration.ofSeconds(1)), 0,
                ends);
        pool = new BufferPool(context, Lease::new, 16L << 20, 16, false, 1 << 20, leaks);
        resources = new EngineResources(List.of(engine), ResourceLimits.of(16, 16, 16, 1L << 30, 1),
                pool.maxLeaseBytes(), AuthenticatorLimits.DEFAULT,
                prefix -> Thread.ofPlatform().daemon().name(prefix).factory(), connections -> List.of(new Factory()));
        engine.step(false, 0);
        resources.start(ends).join();
    }

    /** Hears what comes, and drops it. */
    private final class Factory implements ProtocolFactory {

        @Override
        public int reservedId() {
            return ReservedMessageIds.CHANNELS;
        }

        @Override
        public ProtocolHandler create(ConnectionCore connection) {
            return new ProtocolHandler() {
                @Override
                public void received(UcpActiveMessage message) {
                    if (heard.size() < 100_000) {
                        heard.add(new Heard(StreamFrame.type(message), StreamFrame.channel(message),
                                StreamFrame.from(message), StreamFrame.credit(message), message.length()));
                    }
                    if (!message.isInline()) {
                        connection.registry().worker().activeMessages().release(message);
                    }
                }
            };
        }
    }

    /** The socket's handshake of a channel. */
    public static Greeted greet(InetSocketAddress server, int id, long token) throws IOException {
        Socket socket = new Socket(server.getAddress(), server.getPort());
        socket.setSoTimeout((int) TimeUnit.NANOSECONDS.toMillis(LIMIT_NANOS));
        socket.getOutputStream().write(ByteBuffer.allocate(20).putInt(MAGIC).put(VERSION).put((byte) 1)
                .putShort((short) 12).putInt(id).putLong(token).array());
        byte[] answer = socket.getInputStream().readNBytes(40);
        if (answer.length < 40 || answer[5] != 2) {
            socket.close();
            throw new IOException("no WELCOME but " + answer.length + " bytes");
        }
        ByteBuffer welcome = ByteBuffer.wrap(answer);
        return new Greeted(socket, id, welcome.getInt(8), welcome.getLong(12), welcome.getInt(20));
    }

    /** Makes a link. */
    public ConnectionCore link(InetSocketAddress address) {
        AtomicReference<Established> link = new AtomicReference<>();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        new SocketConnector(resources, resources.next(), ConnectionConfig.DEFAULT, address)
                .connect(new ConnectCallback() {
                    @Override
                    public void connected(Established established) {
                        link.set(established);
                    }

                    @Override
                    public void failed(Throwable error) {
                        failure.set(error);
                    }
                });
        stepUntil(() -> link.get() != null || failure.get() != null);
        if (link.get() == null) {
            throw new IllegalStateException("no link: " + failure.get(), failure.get());
        }
        return link.get().connection();
    }

    public void stepUntil(BooleanSupplier done) {
        long end = System.nanoTime() + LIMIT_NANOS;
        while (!done.getAsBoolean()) {
            engine.stepOrFail();
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("not within the limit; heard " + heard);
            }
        }
    }

    /** Sends a frame with so many bytes, all 0. Returns false if the link is gone. */
    public boolean send(ConnectionCore link, StreamFrame.Type type, int channel, int from, int offset, int credit,
            int length, AmProtocol how) {
        return send(link, frame.fill(channel, type, offset, credit, from), data.asSlice(0, length), how);
    }

    public boolean send(ConnectionCore link, MemorySegment header, MemorySegment payload, AmProtocol how) {
        long end = System.nanoTime() + LIMIT_NANOS;
        while (System.nanoTime() - end < 0) {
            try {
                link.send(ReservedMessageIds.CHANNELS, link.header(header), payload, null, how,
                        (status, bytes, tag) -> { });
                return true;
            } catch (UcxException e) {
                if (!e.isRetryable()) {
                    return false;
                }
                engine.stepOrFail();
            }
        }
        throw new AssertionError("nothing could be sent");
    }

    public boolean open(ConnectionCore link, int channel, int from, long token, int credit) {
        data.asByteBuffer().putLong(0, token);
        boolean sent = send(link, StreamFrame.Type.OPEN, channel, from, 0, credit, 8, AmProtocol.EAGER);
        data.asByteBuffer().putLong(0, 0);
        return sent;
    }

    public void step() {
        engine.stepOrFail();
    }

    public List<Heard> heard() {
        return heard;
    }

    @Override
    public void close() {
        resources.dispose();
        resources.engines().getFirst().connections().connections()
                .forEach(connection -> connection.beginClose(CloseMode.FORCE));
        engine.closeAsync();
        stepToTheEnd();
        resources.closeSockets();
        pool.close(this::closeContext);
    }

    /** What the other side has never taken keeps the worker open. */
    private void closeContext() {
        try {
            context.close();
        } catch (IllegalStateException e) {
            System.getLogger(HostileLoop.class.getName()).log(System.Logger.Level.INFO, "left open", e);
        }
    }

    private void stepToTheEnd() {
        long end = System.nanoTime() + LIMIT_NANOS;
        while (!engine.isClosed() && System.nanoTime() - end < 0) {
            engine.step(false, 0);
        }
    }
}
