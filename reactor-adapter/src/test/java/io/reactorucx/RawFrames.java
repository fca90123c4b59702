package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.Ucx;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.shm.ProcessIdentity;
import io.reactorucx.internal.concurrent.EngineCall;
import io.reactorucx.transport.config.PeerLimits;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.connection.EngineConnections;
import io.reactorucx.transport.frame.ControlFields;
import io.reactorucx.transport.frame.ControlFrame;
import io.reactorucx.transport.frame.ReservedMessageIds;
import io.reactorucx.transport.handshake.PeerInfo;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/**
 * What a peer may say that does not keep to the protocol: any bytes on the reserved id, below the API that refuses it.
 */
final class RawFrames {

    private RawFrames() {
    }

    /** Sends bytes from the only connection of some resources, and waits until they are away. */
    static void send(UcxResources from, byte[] frame, boolean replyable) {
        send(from, Bytes.zeroed(0), MemorySegment.ofArray(frame), AmProtocol.EAGER, replyable);
    }

    static void send(UcxResources from, int id, byte[] frame) {
        send(from, id, Bytes.zeroed(0), MemorySegment.ofArray(frame), AmProtocol.EAGER, true);
    }

    static void send(UcxResources from, MemorySegment header, MemorySegment bytes, AmProtocol protocol,
            boolean replyable) {
        send(from, ReservedMessageIds.CONTROL, header, bytes, protocol, replyable);
    }

    static void send(UcxResources from, int id, MemorySegment header, MemorySegment bytes, AmProtocol protocol,
            boolean replyable) {
        send(from, id, UnaryOperator.identity(), header, bytes, protocol, replyable);
    }

    /** Sends with another token than the right one, which is given, as a process does that guesses endpoints. */
    static void send(UcxResources from, int id, UnaryOperator<byte[]> token, MemorySegment header, MemorySegment bytes,
            AmProtocol protocol, boolean replyable) {
        EngineConnections registry = from.connecting().connections().getFirst();
        EngineCall.mono(registry.engine(), worker -> {
            UcpEndpoint endpoint = onlyEndpoint(registry);
            byte[] first = token.apply(id == ReservedMessageIds.PAIRING ? new byte[0] : token(registry));
            boolean inHeader = header.byteSize() > 0;
            endpoint.amSend(id, inHeader ? joined(first, header) : header,
                    joined(inHeader ? new byte[0] : first, bytes), null, protocol, replyable,
                    (status, length, tag) -> { });
            return endpoint;
        }).block(Waits.PATIENCE);
    }

    /** The token that the peer expects; a raw connection has none. Frames of binding bring theirs along. */
    private static byte[] token(EngineConnections registry) {
        ConnectionCore connection = onlyConnection(registry);
        return ByteBuffer.allocate(Long.BYTES).putLong(connection.config().raw() ? 0 : connection.peerToken()).array();
    }

    private static MemorySegment joined(byte[] first, MemorySegment rest) {
        MemorySegment all = Bytes.zeroed(first.length + rest.byteSize());
        all.asSlice(first.length).copyFrom(rest);
        return all.copyFrom(MemorySegment.ofArray(first));
    }

    /**
     * Sends many headers in one go, or as many as the connection lasts for, without a look at what comes back until the
     * peer has seen enough.
     */
    static void flood(UcxResources from, int reservedId, MemorySegment header, int count, BooleanSupplier enough) {
        EngineConnections registry = from.connecting().connections().getFirst();
        EngineCall.mono(registry.engine(), worker -> {
            UcpEndpoint endpoint = onlyEndpoint(registry);
            try {
                for (int i = 0; i < count; i++) {
                    endpoint.amSend(reservedId, joined(token(registry), header), Bytes.zeroed(0), null,
                            AmProtocol.EAGER, true, (status, length, tag) -> { });
                }
            } catch (UcxException e) {
                assertThat(e.isConnectionLost()).as("%s", e).isTrue();
            }
            long deadline = System.nanoTime() + Waits.PATIENCE.toNanos() / 2;
            while (!enough.getAsBoolean() && System.nanoTime() - deadline < 0) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
            return worker;
        }).block(Waits.PATIENCE);
    }

    private static UcpEndpoint onlyEndpoint(EngineConnections registry) {
        return Objects.requireNonNull(onlyConnection(registry).carrier().endpoint());
    }

    private static ConnectionCore onlyConnection(EngineConnections registry) {
        List<ConnectionCore> connections = registry.connections();
        if (connections.size() != 1) {
            throw new IllegalStateException(connections.size() + " connections, one is needed");
        }
        return connections.getFirst();
    }

    /** A frame as an honest peer might send it, but for its version. */
    static byte[] frame(int protocolVersion, ControlFrame.Type type, String reason) {
        PeerInfo facts = new PeerInfo(Ucx.version(), ErrorMode.PEER, ByteOrder.nativeOrder(), PeerLimits.DEFAULT, 0,
                4711, ProcessIdentity.UNKNOWN, false);
        ControlFields fields = facts.addTo(ControlFields.NONE)
                .with(ControlFields.Key.TOKEN, 4711)
                .with(ControlFields.Key.WORKER_ADDRESS_DIGEST, new byte[32]);
        return new ControlFrame(protocolVersion, type, fields, UcxStatus.REJECTED, reason).toBytes();
    }

    /** From now on the control frames that these resources get come here, and nowhere else. */
    static BlockingQueue<ControlFrame> listen(UcxResources at) {
        BlockingQueue<ControlFrame> frames = new LinkedBlockingQueue<>();
        EngineCall.mono(at.engines().getFirst(), worker -> {
            worker.activeMessages().handler(ReservedMessageIds.CONTROL,
                    message -> frames.add(Objects.requireNonNull(
                            ControlFrame.parse(message.payload().asSlice(Long.BYTES)))));
            return worker;
        }).block(Waits.PATIENCE);
        return frames;
    }

    static ControlFrame next(BlockingQueue<ControlFrame> frames) {
        try {
            return Objects.requireNonNull(frames.poll(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS),
                    "no control frame came");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
