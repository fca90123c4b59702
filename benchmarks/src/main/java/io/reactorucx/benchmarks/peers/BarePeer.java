package io.reactorucx.benchmarks.peers;

import io.reactorucx.core.ffi.ucx_h;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** Measures UCX's own put and get in a loop over the bindings. The target only makes progress. */
final class BarePeer implements Peer {

    private static final long ALIGNMENT = 4096;

    @Override
    public void serve(PeerOptions options, Lifeline lifeline) throws Exception {
        BareWorker worker = new BareWorker();
        MemorySegment memory = Arena.global().allocate(options.size(), ALIGNMENT).fill((byte) 1);
        MemorySegment registered = worker.register(memory);
        try (ServerSocket listener = new ServerSocket(options.port(), 1, InetAddress.getLoopbackAddress())) {
            lifeline.ready(listener.getLocalPort());
            try (Socket client = listener.accept();
                    DataOutputStream out = new DataOutputStream(client.getOutputStream())) {
                write(out, worker.address());
                out.writeLong(memory.address());
                write(out, worker.key(registered));
            }
        }
        while (!lifeline.hasEnded()) {
            worker.progress();
        }
    }

    private static void write(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    @Override
    public Figures measure(PeerOptions options) throws Exception {
        boolean get = options.test().equals("get");
        if (!get && !options.test().equals("put") || options.is("rate")) {
            return Peer.refuse(options);
        }
        BareWorker worker = new BareWorker();
        Target target;
        try (Socket server = new Socket(options.address().getAddress(), options.address().getPort());
                DataInputStream in = new DataInputStream(server.getInputStream())) {
            MemorySegment endpoint = worker.endpoint(in.readNBytes(in.readInt()));
            long address = in.readLong();
            target = new Target(worker, endpoint, address, worker.unpack(endpoint, in.readNBytes(in.readInt())),
                    Arena.global().allocate(options.size(), ALIGNMENT).fill((byte) 2), get);
        }
        return options.is("latency") ? target.oneByOne(options)
                : MessageStream.measure(options, end -> target.inWindow(options.window(), end));
    }

    private record Target(BareWorker worker, MemorySegment endpoint, long address, MemorySegment key,
            MemorySegment local, boolean get) {

        private long post() {
            return (get ? ucx_h.ucp_get_nbx(endpoint, local, local.byteSize(), address, key, worker.noParams())
                    : ucx_h.ucp_put_nbx(endpoint, local, local.byteSize(), address, key, worker.noParams())).address();
        }

        Figures oneByOne(PeerOptions options) {
            RoundTrips trips = new RoundTrips(options, false);
            trips.start();
            do {
                worker.await(post());
                if (!get) {
                    worker.flush(endpoint);
                }
            } while (trips.replied());
            return trips.figures();
        }

        long inWindow(int window, MessageStream.End end) {
            long[] requests = new long[window];
            long posted = 0;
            for (; !end.isReached(1); posted++) {
                int slot = (int) (posted % window);
                worker.await(requests[slot]);
                requests[slot] = post();
            }
            for (long request : requests) {
                worker.await(request);
            }
            worker.flush(endpoint);
            return posted;
        }
    }
}
