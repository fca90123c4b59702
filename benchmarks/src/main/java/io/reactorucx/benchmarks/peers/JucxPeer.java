package io.reactorucx.benchmarks.peers;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpListener;
import org.openucx.jucx.ucp.UcpListenerParams;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpRequest;
import org.openucx.jucx.ucp.UcpRequestParams;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;
import org.openucx.jucx.ucs.UcsConstants;

/** JUCX, UCX's own binding for Java. The calling thread makes progress and spins. */
final class JucxPeer implements Peer {

    private static final int MESSAGE_ID = 1;
    private static final long TAG = 1;
    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    @Override
    public void serve(PeerOptions options, Lifeline lifeline) throws Exception {
        Side side = new Side(options);
        UcpListener listener = side.worker.newListener(new UcpListenerParams()
                .setSockAddr(new InetSocketAddress("127.0.0.1", options.port()))
                .setConnectionHandler(request -> side.connect(new UcpEndpointParams().setConnectionRequest(request))));
        lifeline.ready(listener.getAddress().getPort());
        boolean open = true;
        while (open) {
            open = side.receive(lifeline);
            if (open) {
                side.send();
            }
        }
        listener.close();
        side.close();
    }

    @Override
    public Figures measure(PeerOptions options) throws Exception {
        if (!options.is("latency") || !(options.test().equals("am") || options.test().equals("tag"))) {
            return Peer.refuse(options);
        }
        Side side = new Side(options);
        side.connect(new UcpEndpointParams().setSocketAddress(options.address()));
        RoundTrips trips = new RoundTrips(options, true);
        trips.start();
        do {
            side.send();
            side.receive(null);
        } while (trips.replied());
        side.close();
        return trips.figures();
    }

    private static final class Side {

        /** A newer JUCX has another number for the unknown memory type than an older library. */
        private final UcpRequestParams host = new UcpRequestParams()
                .setMemoryType(UcsConstants.MEMORY_TYPE.UCS_MEMORY_TYPE_HOST);
        private final boolean tags;
        private final boolean peerErrorMode;
        private final int size;
        private final MemorySegment sent;
        private final MemorySegment received;
        private final UcpContext context;
        private final UcpWorker worker;
        private @Nullable UcpEndpoint endpoint;
        private @Nullable UcpRequest expected;
        private int arrived;
        private boolean lost;

        Side(PeerOptions options) {
            tags = options.test().equals("tag");
            peerErrorMode = options.peerErrorMode();
            size = options.size();
            sent = Arena.global().allocate(size, Long.BYTES);
            received = Arena.global().allocate(size, Long.BYTES);
            UcpParams params = new UcpParams();
            context = new UcpContext(tags ? params.requestTagFeature() : params.requestAmFeature());
            worker = context.newWorker(new UcpWorkerParams());
            if (!tags) {
                worker.setAmRecvHandler(MESSAGE_ID, (header, headerLength, data, replyTo) -> {
                    arrived++;
                    return UcsConstants.STATUS.UCS_OK;
                });
            }
        }

        void connect(UcpEndpointParams params) {
            if (peerErrorMode) {
                params.setPeerErrorHandlingMode();
            }
            // Without a handler JUCX throws from progress when the peer closes.
            endpoint = worker.newEndpoint(params.setErrorHandler((failed, status, message) -> lost = true));
        }

        void send() throws Exception {
            UcpEndpoint to = endpoint;
            if (to == null) {
                throw new IllegalStateException("not connected");
            }
            if (tags) {
                expect();
            }
            UcpRequest request = tags ? to.sendTaggedNonBlocking(sent.address(), size, TAG, null, host)
                    : to.sendAmNonBlocking(MESSAGE_ID, 0, 0, sent.address(), size, 0, null, host);
            while (!request.isCompleted()) {
                worker.progress();
            }
        }

        private UcpRequest expect() {
            UcpRequest next = expected;
            if (next == null) {
                next = worker.recvTaggedNonBlocking(received.address(), size, TAG, -1, null, host);
                expected = next;
            }
            return next;
        }

        /** {@return whether a message arrived before the lifeline ended} */
        boolean receive(@Nullable Lifeline lifeline) throws Exception {
            UcpRequest next = tags ? expect() : null;
            while (next == null ? arrived == 0 : !next.isCompleted()) {
                worker.progress();
                if (lifeline != null && lifeline.hasEnded()) {
                    return false;
                }
                if (lost && lifeline == null) {
                    throw new IllegalStateException("the server is gone");
                }
            }
            arrived = 0;
            expected = null;
            return true;
        }

        void close() throws Exception {
            if (expected != null) {
                worker.cancelRequest(expected);
            }
            if (endpoint != null && !lost) {
                long limit = System.nanoTime() + CLOSE_NANOS;
                UcpRequest request = endpoint.closeNonBlockingFlush();
                while (!request.isCompleted() && System.nanoTime() - limit < 0) {
                    worker.progress();
                }
            }
            worker.close();
            context.close();
        }
    }
}
